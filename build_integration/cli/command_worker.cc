// hone worker list | show | drain | resume
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/text_table.h"
#include "common/base/printable.h"
#include "common/protocol/worker.h"

namespace hone {
namespace {

// Each comparison of a baseline with itself: the last one of each target.
std::string checks_text(const std::vector<WorkerView>& workers) {
  TextTable table({{"worker"},
                   {"target"},
                   {"checked"},
                   {"itself", Align::right},
                   {"a pair varies", Align::right},
                   {"drift", Align::right},
                   {"", Align::left, 200}});
  bool any = false;
  for (const WorkerView& worker : workers) {
    for (const WorkerCheck& check : worker.checks) {
      any = true;
      table.add({worker.name, fmt::format("{}@{}", check.target, check.target_version),
                 check.checked_at, reward_text(check.check.reward),
                 percent_text(check.check.reward.noise),
                 check.drift ? percent_text(*check.drift) : "–",
                 check.unfit_reason.empty() ? std::string(to_string(check.check.verdict))
                                            : "out of rotation: " + check.unfit_reason});
    }
  }
  return any ? "\nBaselines compared with themselves:\n" + table.text() : "";
}

std::string labels_text(const WorkerView& worker) {
  std::string text;
  for (const auto& [key, value] : worker.labels) {
    text += (text.empty() ? "" : " ") + printable(key) + "=" + printable(value);
  }
  return text;
}

std::string state_text(const WorkerView& worker) {
  if (!worker.left_at.empty()) {
    return "stopped";
  }
  if (worker.silent) {
    return "silent";
  }
  if (worker.drained_at.empty()) {
    return worker.current_job.empty() ? "idle" : "measures";
  }
  return worker.current_job.empty() ? "drained" : "draining";
}

Result<int> list(const CommandContext& context) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<WorkerView> workers, get_workers(client));
  if (context.json) {
    Json items = Json::array();
    for (const WorkerView& worker : workers) {
      items.push_back(to_json(worker));
    }
    print_json(items);
    return 0;
  }
  TextTable table({{"worker"},
                   {"machine"},
                   {"slots", Align::right},
                   {"version"},
                   {"last seen"},
                   {"state"},
                   {"labels", Align::left, 60},
                   {"job"}});
  for (const WorkerView& worker : workers) {
    table.add({worker.name, worker.machine.cpu_model, std::to_string(worker.slots), worker.version,
               worker.last_seen_at, state_text(worker), labels_text(worker), worker.current_job});
  }
  print(table.text() + checks_text(workers));
  return 0;
}

Result<int> show(const CommandContext& context, const std::string& name) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer, client.get("/v1/workers/" + percent_encode(name)));
  if (context.json) {
    print_json(answer);
    return 0;
  }
  HONE_TRY(const WorkerView worker, parse_worker(answer, UnknownKeys::ignore));
  const std::string labels = labels_text(worker);
  print(fmt::format(
      "{}: {}, {} processors, {} MiB, {} slots, version {}, last seen {}{}{}{}\n{}{}", worker.name,
      printable(worker.machine.cpu_model), worker.machine.cpus, worker.machine.memory_mib,
      worker.slots, printable(worker.version), worker.last_seen_at,
      !worker.left_at.empty() ? ", stopped since " + worker.left_at
      : worker.silent         ? ", silent since then"
                              : "",
      worker.drained_at.empty() ? "" : ", takes no more jobs since " + worker.drained_at,
      worker.current_job.empty() ? "" : ", measures job " + worker.current_job,
      labels.empty() ? "" : "labels: " + labels + "\n", checks_text({worker})));
  return 0;
}

// What POST /v1/workers/{name}/drain and /resume have in common.
Result<int> use(const CommandContext& context, const std::string& name, const std::string& how) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer,
           client.post("/v1/workers/" + percent_encode(name) + "/" + how, Json::object()));
  if (context.json) {
    print_json(answer);
  } else {
    print(how == "drain" ? fmt::format("Worker {} is given no further job; what it measures now it "
                                       "ends (hone worker resume takes that back).\n",
                                       name)
                         : fmt::format("Worker {} is given jobs.\n", name));
  }
  return 0;
}

}  // namespace

void add_worker(CLI::App& app, CommandContext& context) {
  CLI::App* const worker =
      app.add_subcommand("worker", "Who measures, and what their measurements are worth");
  worker->require_subcommand(1);
  worker->add_subcommand("list", "All of them, with their checks")->callback([&context] {
    context.action = [&context] { return list(context); };
  });
  CLI::App* const showing = worker->add_subcommand("show", "One of them");
  const auto name = std::make_shared<std::string>();
  showing->add_option("worker", *name, "Its name")->required();
  showing->callback(
      [&context, name] { context.action = [&context, name] { return show(context, *name); }; });
  for (const auto& [how, help] :
       {std::pair<const char*, const char*>{"drain", "Give it no further job, for admins"},
        {"resume", "Give it jobs again, for admins"}}) {
    CLI::App* const changing = worker->add_subcommand(how, help);
    changing->add_option("worker", *name, "Its name")->required();
    changing->callback([&context, name, what = std::string(how)] {
      context.action = [&context, name, what] { return use(context, *name, what); };
    });
  }
}

}  // namespace hone
