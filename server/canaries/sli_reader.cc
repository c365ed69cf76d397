#include "server/canaries/sli_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace hone {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') {
      result += '\\';
    }
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

// A value of a label as a regular expression that matches just it.
std::string literal(std::string_view text) {
  static constexpr std::string_view kSpecial = "\\.+*?()|[]{}^$";
  std::string result;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

Async<std::vector<RawSeries>> range_of(MetricsSource& source, const ServiceSpec& service,
                                       std::string metric, double seconds, double at) {
  if (metric.empty()) {
    co_return std::vector<RawSeries>();
  }
  const std::string promql =
      fmt::format("{}[{:.0f}ms]", selector_text(service, metric), 1000 * seconds);
  Result<std::string> reply = co_await source.query(promql, at);
  HONE_CO_TRY(const std::string text, std::move(reply));
  co_return parse_matrix(text);
}

std::vector<RawSeries> of_group(const std::vector<RawSeries>& all, const ServiceSpec& service,
                                const std::string& group) {
  std::vector<RawSeries> its;
  std::ranges::copy_if(all, std::back_inserter(its), [&](const RawSeries& series) {
    return series.label(service.group_label) == group;
  });
  return its;
}

struct AllSeries {
  std::vector<RawSeries> buckets;
  std::vector<RawSeries> failures;
  std::vector<RawSeries> cpu;
};

Result<GroupWindow> group_window(const AllSeries& all, const ServiceSpec& service,
                                 const std::string& group, const BucketBounds& bounds,
                                 const WindowSpan& span) {
  const std::vector<RawSeries> buckets = of_group(all.buckets, service, group);
  const std::vector<RawSeries> failures = of_group(all.failures, service, group);
  const std::vector<RawSeries> cpu = of_group(all.cpu, service, group);
  return read_window({buckets, failures, cpu}, bounds, span);
}

// The sum of the increases over the objective's window, of everything that `suffix` and `extra`
// select; 0 where there is no such series.
Async<double> increase_of(MetricsSource& source, const ServiceSpec& service, std::string selector,
                          double at) {
  const std::string promql =
      fmt::format("sum(increase({}[{:.0f}s]))", selector, service.objective.window_seconds);
  Result<std::string> reply = co_await source.query(promql, at);
  HONE_CO_TRY(const std::string text, std::move(reply));
  Result<double> value = parse_single(text);
  co_return value;
}

std::string with_label(std::string selector, std::string_view label, std::string_view value) {
  selector.insert(selector.size() - 1, fmt::format(",{}={}", label, in_quotes(value)));
  return selector;
}

// The label of the largest bucket whose requests were quick enough; empty where any are.
Async<std::string> in_time_label(MetricsSource& source, const ServiceSpec& service, double at) {
  if (service.objective.latency <= 0) {
    co_return std::string();
  }
  const std::string promql = fmt::format(
      "count by (le) ({})", selector_text(service, service.metrics.latency + "_bucket"));
  Result<std::string> reply = co_await source.query(promql, at);
  HONE_CO_TRY(const std::string text, std::move(reply));
  HONE_CO_TRY(const std::vector<RawSeries> buckets, parse_vector(text));
  std::string label;
  double largest = 0;
  for (const RawSeries& bucket : buckets) {
    const std::optional<double> bound = bucket_bound(bucket);
    if (bound && *bound > largest && *bound <= service.objective.latency * (1 + 1e-9)) {
      largest = *bound;
      label = bucket.label("le");
    }
  }
  if (label.empty() && !buckets.empty()) {
    co_return fail(ErrorCode::invalid_argument,
                   fmt::format("no bucket of {} ends at the objective's latency of {} s or below",
                               service.metrics.latency, service.objective.latency));
  }
  co_return label;
}

// Of one group, or of both together if it is empty.
Async<ServedRequests> served_by(MetricsSource& source, const ServiceSpec& service,
                                const std::string& group, const std::string& in_time, double at) {
  const auto of_these = [&](const std::string& metric) {
    const std::string both = selector_text(service, metric);
    return group.empty() ? both : with_label(both, service.group_label, group);
  };
  ServedRequests served;
  Result<double> counted =
      co_await increase_of(source, service, of_these(service.metrics.latency + "_count"), at);
  HONE_CO_TRY(served.all, std::move(counted));
  if (!in_time.empty()) {
    const std::string quick =
        with_label(of_these(service.metrics.latency + "_bucket"), "le", in_time);
    Result<double> good = co_await increase_of(source, service, quick, at);
    HONE_CO_CHECK(good);
    served.bad += std::max(0.0, served.all - *good);
  }
  if (!service.metrics.failures.empty()) {
    Result<double> failed =
        co_await increase_of(source, service, of_these(service.metrics.failures), at);
    HONE_CO_CHECK(failed);
    served.bad += *failed;
  }
  co_return served;
}

}  // namespace

std::string selector_text(const ServiceSpec& service, const std::string& metric) {
  std::string text = metric + "{";
  for (const auto& [label, value] : service.selector) {
    text += fmt::format("{}={},", label, in_quotes(value));
  }
  const std::string groups = literal(service.baseline) + "|" + literal(service.canary);
  return text + fmt::format("{}=~{}}}", service.group_label, in_quotes(groups));
}

Async<SliWindow> read_sli(MetricsSource& source, const ServiceSpec& service, double start,
                          BucketBounds& bounds) {
  const WindowSpan span{
      .start = start, .seconds = service.window_seconds, .most_age = 2.5 * service.scrape_seconds};
  const double end = start + span.seconds;
  const double reach = span.seconds + span.most_age;
  AllSeries all;
  Result<std::vector<RawSeries>> buckets =
      co_await range_of(source, service, service.metrics.latency + "_bucket", reach, end);
  HONE_CO_TRY(all.buckets, std::move(buckets));
  Result<std::vector<RawSeries>> failures =
      co_await range_of(source, service, service.metrics.failures, reach, end);
  HONE_CO_TRY(all.failures, std::move(failures));
  Result<std::vector<RawSeries>> cpu =
      co_await range_of(source, service, service.metrics.cpu, reach, end);
  HONE_CO_TRY(all.cpu, std::move(cpu));
  if (bounds.empty()) {
    HONE_CO_TRY(bounds, bucket_bounds(all.buckets));
  }
  SliWindow window;
  window.start = start;
  window.seconds = span.seconds;
  HONE_CO_TRY(window.baseline, group_window(all, service, service.baseline, bounds, span));
  HONE_CO_TRY(window.canary, group_window(all, service, service.canary, bounds, span));
  co_return window;
}

Async<ServedRequests> read_served(MetricsSource& source, const ServiceSpec& service, double at) {
  Result<std::string> found = co_await in_time_label(source, service, at);
  HONE_CO_TRY(const std::string in_time, std::move(found));
  ServedRequests served;
  for (const std::string& group : {std::string(), service.canary}) {
    Result<ServedRequests> counted = co_await served_by(source, service, group, in_time, at);
    HONE_CO_TRY(const ServedRequests these, std::move(counted));
    if (group.empty()) {
      served = these;
    } else {
      served.bad_canary = these.bad;
    }
  }
  co_return served;
}

}  // namespace hone
