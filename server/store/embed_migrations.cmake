# Writes OUTPUT, the definition of embedded_migrations(), from the SQL files in FILES.
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} sql)
  string(APPEND entries "      {\"${name}\", R\"hone_sql(${sql})hone_sql\"},\n")
endforeach()
file(
  WRITE ${OUTPUT}
  "// Made by embed_migrations.cmake from server/store/migrations.
#include \"server/store/pg/migrator.h\"

namespace hone {

const std::vector<Migration>& embedded_migrations() {
  static const std::vector<Migration> kMigrations = {
${entries}  };
  return kMigrations;
}

}  // namespace hone
")
