// What members make of training programs: bytes of code, processor time of the compile, and the
// program's features. Programs must have been loaded for the same level. What was measured is kept
// in a folder, a file a program: a run that was interrupted goes on. Not thread safe.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/programs/program_loader.h"
#include "common/base/result.h"
#include "common/choice/choice_model.h"
#include "common/sessions/session_client.h"

namespace hone {

struct MemberResult {
  std::int64_t text_bytes = 0;  // all executable sections; 0: it failed
  double cpu_seconds = 0;
};

struct LabResults {
  ChoiceFeatures features{};
  std::vector<MemberResult> members;
};

struct MemberLabSettings {
  std::filesystem::path folder;  // made if it is not there
  std::filesystem::path plugin;  // libhone_pass-19.so; empty: the one beside us
  std::string level = "O3";      // that compiles are at
  std::stop_token stop;
};

class MemberLab {
 public:
  // not_found if the plugin or hone-session is not there.
  static Result<MemberLab> create(MemberLabSettings settings);

  // Compiles the program once with each member, as the plugin does it in a user's compile: by a
  // choice that has no other end. Errors: of the loader and of the session; unsupported if the
  // plain compile fails or makes no code; cancelled.
  Result<LabResults> measure(ProgramLoader& loader, const std::string& uri,
                             const std::vector<ChoiceMember>& members);

 private:
  MemberLab(MemberLabSettings settings, SessionClient sessions, TemporaryFolder scratch)
      : settings_(std::move(settings)),
        sessions_(std::move(sessions)),
        scratch_(std::move(scratch)) {}

  Result<ChoiceFeatures> features_of(const std::string& program);
  Result<MemberResult> compile(const std::string& program, const ChoiceMember& member);

  MemberLabSettings settings_;
  SessionClient sessions_;
  TemporaryFolder scratch_;
};

}  // namespace hone
