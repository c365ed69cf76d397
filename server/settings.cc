#include "server/settings.h"

#include "common/protocol/locations.h"
#include "server/listen_address.h"

namespace hone {
namespace {

constexpr WholeNumbers kDays{0, 36'500};

void declare_basics(SettingTable& table, HonedSettings& settings) {
  HonedOptions& options = settings.options;
  table.section("Where it is");
  table.add({.key = "data",
             .unit = "DIR",
             .help = "Data folder; one honed per folder",
             .default_text = "/var/lib/hone as root, else $XDG_DATA_HOME/hone or "
                             "~/.local/share/hone"},
            options.data);
  table.add({.key = "listen",
             .unit = "ADDRESS:PORT",
             .help = "Where it listens, a numeric address; port 0 takes any free one"},
            settings.listen);
  table.add(
      {.key = "database",
       .unit = "URL",
       .help = "A PostgreSQL to use instead of a private one in the data folder; better in the "
               "environment or a file than on a command line, which everybody sees",
       .environment = "HONE_DATABASE",
       .secret = true},
      options.database_url);
  table.add({.key = "artifacts",
             .unit = "DIR|URL",
             .help = "Where artifacts are kept: a folder, or "
                     "s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&path_style=1 with "
                     "credentials as AWS tools have them",
             .environment = "HONE_ARTIFACTS",
             .default_text = "in the data folder"},
            options.artifacts);
  table.add({.key = "allow_host",
             .unit = "HOST[:PORT]",
             .help = "A further Host header to answer to (behind a proxy)"},
            options.allowed_hosts);
}

void declare_limits(SettingTable& table, HonedOptions& options) {
  table.section("Limits");
  table.add({.key = "max_artifact_bytes", .unit = "BYTES", .help = "Largest upload"},
            options.max_artifact_bytes, WholeNumbers{1, std::int64_t{1} << 44U});
  table.add({.key = "min_free_bytes",
             .unit = "BYTES",
             .help = "Uploads are refused when less would stay free on the disk",
             .default_text = "1 GiB, or 5 % of a smaller disk"},
            options.min_free_bytes, WholeNumbers{0, std::int64_t{1} << 50U});
  table.add({.key = "lease_seconds",
             .unit = "SECONDS",
             .help = "How long a worker may be silent before its job goes to another"},
            options.lease_seconds, WholeNumbers{1, 86'400});
}

void declare_tls(SettingTable& table, HonedOptions& options) {
  table.section("HTTPS");
  table.add(
      {.key = "tls_cert",
       .unit = "FILE",
       .help = "Speak HTTPS with this certificate (PEM, the chain behind it); read again when "
               "the file changes, and on SIGHUP",
       .default_text = "plain HTTP"},
      options.tls_cert);
  table.add({.key = "tls_key", .unit = "FILE", .help = "The certificate's key (PEM)"},
            options.tls_key);
  table.add({.key = "tls_client_ca",
             .unit = "FILE",
             .help = "Ask clients for certificates, which must be signed by one of these (PEM)"},
            options.tls_client_ca);
  table.add({.key = "require_worker_certificate",
             .help = "Refuse workers that show no client certificate"},
            options.require_worker_certificate);
}

void declare_shares(SettingTable& table, HonedOptions& options) {
  table.section("What one client may use");
  table.add({.key = "max_connections",
             .unit = "COUNT",
             .help = "Client connections at once; an idle one is closed for a new one"},
            options.max_connections, WholeNumbers{1, 1 << 20});
  table.add(
      {.key = "rate_limit",
       .unit = "COUNT",
       .help = "Requests a second of one token, a second's worth in one go. 0: without limit"},
      options.rate_limit, WholeNumbers{0, 1'000'000'000});
  table.add({.key = "max_token_requests",
             .unit = "COUNT",
             .help = "Requests of one token under way, those that wait for a job included; and its "
                     "connections"},
            options.max_token_requests, WholeNumbers{1, 1 << 20});
  table.add({.key = "max_token_streams",
             .unit = "COUNT",
             .help = "Streams of one token: events, experiences, session log, WebSockets"},
            options.max_token_streams, WholeNumbers{1, 1 << 20});
  table.add({.key = "max_queued_jobs",
             .unit = "COUNT",
             .help = "Jobs that one token may have in the queue. 0: without limit"},
            options.max_queued_jobs, WholeNumbers{0, std::int64_t{1} << 40U});
  table.add({.key = "drain_seconds",
             .unit = "SECONDS",
             .help = "How long to go on serving after SIGTERM while /readyz says 503, so that a "
                     "load balancer notices"},
            options.drain_seconds, WholeNumbers{0, 3'600});
}

void declare_retention(SettingTable& table, HonedOptions& options) {
  RetentionOptions& retention = options.retention;
  table.section("How long things are kept");
  table.add(
      {.key = "artifact_days",
       .unit = "DAYS",
       .help = "An artifact that nothing refers to, since somebody last used it. 0: for ever"},
      options.artifact_days, kDays);
  table.add(
      {.key = "retention_samples_days",
       .unit = "DAYS",
       .help = "Raw samples of results; rewards, intervals, medians and decisions stay, and so "
               "do all samples of campaigns that published a policy. 0: for ever"},
      retention.samples_days, kDays);
  table.add({.key = "retention_job_logs_days",
             .unit = "DAYS",
             .help = "The end of a job's log, kept with its result; likewise not of campaigns that "
                     "published a policy. 0: for ever"},
            retention.job_logs_days, kDays);
  table.add({.key = "retention_events_days",
             .unit = "DAYS",
             .help = "Changes of state that the event stream replays. 0: for ever"},
            retention.events_days, kDays);
  table.add({.key = "session_log_days",
             .unit = "DAYS",
             .help = "Episodes of the log of compile sessions, with their steps, since the last "
                     "one. 0: for ever"},
            retention.session_log_days, kDays);
  table.add(
      {.key = "retention_states_days",
       .unit = "DAYS",
       .help = "Modules' states that no decision and no step of a session refers to any more. "
               "0: for ever"},
      retention.states_days, kDays);
  table.add({.key = "retention_canary_windows_days",
             .unit = "DAYS",
             .help = "What a canary's windows told, since it ended; its decisions, its last "
                     "judgement and its experience stay. 0: for ever"},
            retention.canary_windows_days, kDays);
  table.add(
      {.key = "retention_audit_days", .unit = "DAYS", .help = "Rows of the audit log. 0: for ever"},
      retention.audit_days, kDays);
}

}  // namespace

void declare_settings(SettingTable& table, HonedSettings& settings) {
  settings.options.data = default_data_folder();
  declare_basics(table, settings);
  declare_tls(table, settings.options);
  declare_limits(table, settings.options);
  declare_shares(table, settings.options);
  declare_retention(table, settings.options);
  declare_log_settings(table, settings.log);
}

Result<void> finish_settings(HonedSettings& settings) {
  const Result<ListenAddress> address = parse_listen_address(settings.listen);
  if (!address.has_value()) {
    return address.error().within("setting listen");
  }
  const HonedOptions& options = settings.options;
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return fail(ErrorCode::invalid_argument,
                "setting tls_cert: a certificate and its key, tls_key, are given together");
  }
  if (options.tls_cert.empty() && !options.tls_client_ca.empty()) {
    return fail(ErrorCode::invalid_argument,
                "setting tls_client_ca: clients show certificates over HTTPS only: give tls_cert");
  }
  if (options.require_worker_certificate && options.tls_client_ca.empty()) {
    return fail(ErrorCode::invalid_argument,
                "setting require_worker_certificate: say by tls_client_ca whose are good");
  }
  settings.options.address = address->address;
  settings.options.port = address->port;
  return {};
}

}  // namespace hone
