#!/usr/bin/env bash
# C++20 modules and clang's header modules: BMIs where they are asked for, good for launched and plain users.
# fails with: drops_argument renames_into_place rewrites_response_files
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/bmi in/obj
cat > in/shape.cppm <<'E'
export module shape;
export int area(int w, int h) { int s = 0; for (int i = 0; i < w; ++i) s += h; return s; }
E
printf 'module shape;\nint hidden() { return 3; }\n' > in/impl.cc
printf 'import shape;\nint main() { return area(3, 5) == 15 ? 0 : 1; }\n' > in/use.cc
printf -- '-x c++-module\n-fmodule-output=bmi/shape.pcm\n' > in/shape.modmap; echo '-fmodule-file=shape=bmi/shape.pcm' > in/use.modmap
C=$CLANG X="-std=c++20 -O3"
twin -t -x '*.pcm' "cc $X -MD @shape.modmap -c shape.cppm -o obj/shape.o && cc $X -MD @use.modmap -c use.cc -o obj/use.o && cc obj/shape.o obj/use.o -o prog && ./prog; r=\$?; rm -f prog; (exit \$r)"
twin -x '*.pcm' "cc $X -fmodule-output -c shape.cppm && ls; cc $X -fmodule-file=shape=shape.pcm -c use.cc impl.cc"
twin -p -x '*.pcm' "cc $X --precompile shape.cppm -o bmi/shape.pcm"
twin -x '*.pcm' "cc $X --precompile shape.cppm -o bmi/shape.pcm && cc $X -c bmi/shape.pcm -o obj/shape.o; cc $X -fprebuilt-module-path=bmi -c use.cc -o obj/use.o"
twin -x '*.pcm' "cc $X @shape.modmap -c shape.cppm -o obj/shape.o && '$CLANG' $X @use.modmap -c use.cc -o obj/use.o"
twin -x '*.pcm' "'$CLANG' $X @shape.modmap -c shape.cppm -o obj/shape.o && cc $X @use.modmap -c use.cc -o obj/use.o"
twin "cc $X @use.modmap -c use.cc -o obj/use.o"        # the BMI is missing
twin -x '*.pcm' "cc $X @shape.modmap -c shape.cppm -o obj/shape.o; sed -i 's/int h/long h/' shape.cppm; cc $X @shape.modmap -c shape.cppm -o obj/shape.o; cc $X @use.modmap -c use.cc -o obj/use.o; nm obj/use.o | grep area"
# Header modules, built within the compile.
mkdir in/hm; echo 'module m { header "m.h" export * }' > in/hm/module.modulemap; printf '#ifndef M\n#define M\ninline int m(int x) { return x + 1; }\n#endif\n' > in/hm/m.h
printf '#include "m.h"\nint f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += m(i); return s; }\n' > in/hm.cc
twin -t -x '*.pcm*' 'cc -O3 -fmodules -fmodules-cache-path=cache -Ihm -c hm.cc; rm -r cache'
twin -t -x '*.pcm*' 'cc -O3 -g -gmodules -fmodules -fmodules-cache-path=cache -Ihm -c hm.cc; rm -r cache'
C=$GXX
twin -x '*.gcm' "cc $X -fmodules-ts -x c++ -c shape.cppm -o obj/shape.o && cc $X -fmodules-ts -c use.cc -o obj/use.o && cc obj/shape.o obj/use.o -o prog && ./prog; r=\$?; rm -f prog; ls gcm.cache; (exit \$r)"
twin -p -x '*.gcm' "cc $X -fmodules-ts -fmodule-only -x c++ -c shape.cppm; ls gcm.cache"
twin -p -x '*.gcm' "cp hm/m.h m.h; cc $X -fmodules-ts -fmodule-header -c m.h"
exit $bad
