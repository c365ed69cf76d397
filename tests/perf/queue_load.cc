// A crowd of workers for honed, over REST and keep-alive connections: what tests/perf/queue_*.sh
// and workers_2000.sh measure with. One thread; bodies are made once and answers only searched for
// what is needed, so that the client costs little beside honed.
//
//   queue_load rate PORT TOKEN TARGET RESULT WORKERS JOBS BATCH
//       JOBS jobs submitted in batches of BATCH, leased and completed with the body in the file
//       RESULT by WORKERS connections. Prints jobs/s.
//   queue_load claim PORT TOKEN WORKERS ROUNDS
//       One claim at a time, of jobs that are there, ROUNDS times. Prints a line of milliseconds.
//   queue_load idle PORT TOKEN TARGET WORKERS ROUNDS PID SECONDS
//       WORKERS connections in long poll: what process PID (honed) takes of memory and, in SECONDS
//       of quiet, of the processor; then ROUNDS jobs, each submitted when the one before was taken,
//       and the time from the submission's first byte to the worker's whole answer.

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "queue_load: %s\n", what.c_str());
  std::exit(2);
}

double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

struct Answer {
  int status = 0;
  std::string body;
};

// One keep-alive connection.
class Connection {
 public:
  Connection(asio::io_context& context, int port, std::string token)
      : socket_(context), port_(port), token_(std::move(token)) {}

  asio::awaitable<void> connect() {
    const tcp::endpoint honed(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port_));
    co_await socket_.async_connect(honed, asio::use_awaitable);
    socket_.set_option(tcp::no_delay(true));
  }

  asio::awaitable<Answer> ask(std::string_view method, std::string_view path, std::string body,
                              std::string headers = "") {
    std::string request(method);
    request += " ";
    request += path;
    request += " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token_ +
               "\r\nContent-Type: application/json\r\n" + headers +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    co_await asio::async_write(socket_, asio::buffer(request), asio::use_awaitable);
    const std::size_t head = co_await asio::async_read_until(socket_, asio::dynamic_buffer(input_),
                                                             "\r\n\r\n", asio::use_awaitable);
    const std::string_view header(input_.data(), head);
    Answer answer;
    answer.status = number_after(header, " ");
    const std::size_t at = header.find("Content-Length: ");
    const std::size_t length =
        at == std::string_view::npos
            ? 0
            : static_cast<std::size_t>(number_after(header.substr(at), "Content-Length: "));
    if (input_.size() < head + length) {
      co_await asio::async_read(socket_, asio::dynamic_buffer(input_),
                                asio::transfer_exactly(head + length - input_.size()),
                                asio::use_awaitable);
    }
    answer.body.assign(input_, head, length);
    input_.erase(0, head + length);
    co_return answer;
  }

 private:
  static int number_after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    int number = 0;
    if (at != std::string_view::npos) {
      const char* begin = text.data() + at + mark.size();
      std::from_chars(begin, text.data() + text.size(), number);
    }
    return number;
  }

  tcp::socket socket_;
  int port_;
  std::string token_;
  std::string input_;
};

void check(const Answer& answer, const char* what) {
  if (answer.status < 200 || answer.status > 299) {
    give_up(std::string(what) + ": status " + std::to_string(answer.status) + " " + answer.body);
  }
}

// The text after `"key":"`.
std::string text_of(const std::string& body, const std::string& key) {
  const std::string mark = "\"" + key + "\":\"";
  const std::size_t at = body.find(mark);
  return at == std::string::npos
             ? std::string()
             : body.substr(at + mark.size(), body.find('"', at + mark.size()) - at - mark.size());
}

std::string worker_name(std::size_t number) {
  return "load-" + std::to_string(number);
}

asio::awaitable<void> sign_up(Connection& connection, std::size_t number) {
  co_await connection.connect();
  const std::string name = worker_name(number);
  const std::string body = R"({"name":")" + name +
                           R"(","machine":{"host":"load","cpu_model":"a processor","cpus":1,)"
                           R"("memory_mib":1024,"kernel":"Linux"},"labels":{},"slots":64})";
  const Answer put = co_await connection.ask("PUT", "/v1/workers/" + name, body);
  check(put, "registering a worker");
}

std::string lease_body(std::size_t number, int wait_seconds) {
  return R"({"version":1,"worker":")" + worker_name(number) + R"(","wait_seconds":)" +
         std::to_string(wait_seconds) + "}";
}

std::string job_batch(const std::string& target, std::size_t size) {
  std::string body = R"({"jobs":[)";
  for (std::size_t i = 0; i < size; ++i) {
    body += std::string(i > 0 ? "," : "") + R"({"target":")" + target +
            R"(","stage":"race","rules":[{"source":"*","pipeline":"default<O3>"}]})";
  }
  return body + "]}";
}

std::string fresh_key() {
  static int count = 0;
  return "Idempotency-Key: load-" + std::to_string(::getpid()) + "-" + std::to_string(++count) +
         "\r\n";
}

void spawn(asio::io_context& context, asio::awaitable<void> work) {
  asio::co_spawn(context, std::move(work), [](const std::exception_ptr& failure) {
    if (failure) {
      try {
        std::rethrow_exception(failure);
      } catch (const std::exception& error) {
        give_up(error.what());
      }
    }
  });
}

// ---- rate

struct Rate {
  asio::io_context context;
  int port = 0;
  std::string token, target, result;
  std::size_t workers = 0, jobs = 0, batch = 0;
  std::size_t signed_up = 0, submitted = 0, completed = 0;
  Clock::time_point begun, ended;
};

// So many jobs are submitted beyond those that are completed, so that the queue never runs dry.
constexpr std::size_t kAhead = 2'000;

asio::awaitable<void> submit_all(Rate& rate, Connection& connection) {
  asio::steady_timer pause(rate.context);
  const std::string body = job_batch(rate.target, rate.batch);
  while (rate.submitted < rate.jobs) {
    if (rate.submitted > rate.completed + kAhead) {
      pause.expires_after(std::chrono::milliseconds(2));
      co_await pause.async_wait(asio::use_awaitable);
      continue;
    }
    const Answer answer = co_await connection.ask("POST", "/v1/jobs", body, fresh_key());
    check(answer, "submitting");
    rate.submitted += rate.batch;
  }
}

asio::awaitable<void> work(Rate& rate, std::size_t number) {
  Connection connection(rate.context, rate.port, rate.token);
  co_await sign_up(connection, number);
  ++rate.signed_up;
  while (rate.completed < rate.jobs) {
    const Answer lease = co_await connection.ask("POST", "/v1/leases", lease_body(number, 1));
    check(lease, "leasing");
    if (lease.status == 204) {
      continue;
    }
    const Answer counted = co_await connection.ask(
        "POST", "/v1/leases/" + text_of(lease.body, "attempt") + "/complete", rate.result);
    check(counted, "completing");
    if (++rate.completed == rate.jobs) {
      rate.ended = Clock::now();
      rate.context.stop();
    }
  }
}

asio::awaitable<void> drive_rate(Rate& rate) {
  for (std::size_t i = 0; i < rate.workers; ++i) {
    spawn(rate.context, work(rate, i));
  }
  asio::steady_timer pause(rate.context);
  while (rate.signed_up < rate.workers) {
    pause.expires_after(std::chrono::milliseconds(5));
    co_await pause.async_wait(asio::use_awaitable);
  }
  Connection connection(rate.context, rate.port, rate.token);
  co_await connection.connect();
  rate.begun = Clock::now();
  co_await submit_all(rate, connection);
  pause.expires_after(std::chrono::hours(1));
  co_await pause.async_wait(asio::use_awaitable);  // the connection stays until all is done
}

int run_rate(char** argv) {
  Rate rate;
  rate.port = std::atoi(argv[0]);
  rate.token = argv[1];
  rate.target = argv[2];
  std::ifstream file(argv[3]);
  std::stringstream text;
  text << file.rdbuf();
  rate.result = text.str();
  rate.workers = std::strtoul(argv[4], nullptr, 10);
  rate.batch = std::strtoul(argv[6], nullptr, 10);
  rate.jobs = std::strtoul(argv[5], nullptr, 10) / rate.batch * rate.batch;
  spawn(rate.context, drive_rate(rate));
  rate.context.run();
  const double seconds = milliseconds(rate.ended - rate.begun) / 1000;
  std::printf("%zu jobs in %.2f s: %.0f jobs/s\n", rate.jobs, seconds,
              static_cast<double>(rate.jobs) / seconds);
  std::fflush(stdout);
  _exit(0);  // what waits in long poll is nobody's concern any more
}

// ---- claim

asio::awaitable<void> claim_some(asio::io_context& context, int port, std::string token,
                                 std::size_t workers, std::size_t rounds) {
  std::vector<std::unique_ptr<Connection>> connections;
  for (std::size_t i = 0; i < workers; ++i) {
    connections.push_back(std::make_unique<Connection>(context, port, token));
    co_await sign_up(*connections.back(), i);
  }
  for (std::size_t i = 0; i < rounds; ++i) {
    Connection& connection = *connections[i % workers];
    const Clock::time_point start = Clock::now();
    const Answer lease = co_await connection.ask("POST", "/v1/leases", lease_body(i % workers, 0));
    const double took = milliseconds(Clock::now() - start);
    check(lease, "leasing");
    if (lease.status == 204) {
      give_up("there was no job to claim");
    }
    std::printf("%.3f\n", took);
  }
  std::fflush(stdout);
  _exit(0);
}

int run_claim(char** argv) {
  asio::io_context context;
  spawn(context,
        claim_some(context, std::atoi(argv[0]), argv[1], std::strtoul(argv[2], nullptr, 10),
                   std::strtoul(argv[3], nullptr, 10)));
  context.run();
  return 0;
}

// ---- idle

struct Idle {
  asio::io_context context;
  int port = 0;
  std::string token, target;
  std::size_t workers = 0, rounds = 0, signed_up = 0;
  int pid = 0, seconds = 0;
  std::function<void(const std::string& job)> taken;
};

// Of the process, from /proc.
double cpu_seconds(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) {
    fields >> skipped;
  }
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double resident_kib(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("VmRSS:")) {
      return std::strtod(line.c_str() + 6, nullptr);
    }
  }
  give_up("no process " + std::to_string(pid));
}

// Waits for ever. A job that it gets stays leased, and the
// worker waits for the next.
asio::awaitable<void> poll_for_ever(Idle& idle, std::size_t number) {
  Connection connection(idle.context, idle.port, idle.token);
  co_await sign_up(connection, number);
  ++idle.signed_up;
  // Spread over the wait, as workers are that began at different times.
  bool first = true;
  for (;;) {
    const int wait = first ? 20 + static_cast<int>(number % 20) : 20;
    first = false;
    const Answer lease = co_await connection.ask("POST", "/v1/leases", lease_body(number, wait));
    check(lease, "leasing");
    if (lease.status == 200) {
      idle.taken(text_of(lease.body, "job"));
    }
  }
}

asio::awaitable<void> nap(Idle& idle, std::chrono::milliseconds time) {
  asio::steady_timer timer(idle.context, time);
  co_await timer.async_wait(asio::use_awaitable);
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return values[std::min(at, values.size() - 1)];
}

asio::awaitable<void> drive_idle(Idle& idle) {
  Connection submitter(idle.context, idle.port, idle.token);
  co_await sign_up(submitter, idle.workers);
  const double empty_kib = resident_kib(idle.pid);
  Clock::time_point taken_at;
  idle.taken = [&taken_at](const std::string&) { taken_at = Clock::now(); };
  // Fifty at a time: nobody starts two thousand workers in the same millisecond.
  for (std::size_t i = 0; i < idle.workers; ++i) {
    spawn(idle.context, poll_for_ever(idle, i));
    if (i % 50 == 49) {
      co_await nap(idle, std::chrono::milliseconds(20));
    }
  }
  while (idle.signed_up < idle.workers) {
    co_await nap(idle, std::chrono::milliseconds(20));
  }
  co_await nap(idle, std::chrono::seconds(3));
  const double full_kib = resident_kib(idle.pid);
  const double cpu_before = cpu_seconds(idle.pid);
  const Clock::time_point quiet_from = Clock::now();
  co_await nap(idle, std::chrono::seconds(idle.seconds));
  const double quiet = milliseconds(Clock::now() - quiet_from) / 1000;
  const double share = (cpu_seconds(idle.pid) - cpu_before) / quiet;
  const std::string body = job_batch(idle.target, 1);
  std::vector<double> times;
  for (std::size_t i = 0; i < idle.rounds; ++i) {
    taken_at = {};
    const Clock::time_point start = Clock::now();
    const Answer answer = co_await submitter.ask("POST", "/v1/jobs", body, fresh_key());
    check(answer, "submitting");
    while (taken_at == Clock::time_point{}) {
      if (Clock::now() - start > std::chrono::seconds(30)) {
        give_up("a job was not taken within 30 s");
      }
      co_await nap(idle, std::chrono::milliseconds(1));
    }
    times.push_back(milliseconds(taken_at - start));
    co_await nap(idle, std::chrono::milliseconds(10));
  }
  std::printf("kib_per_worker %.1f\n", (full_kib - empty_kib) / static_cast<double>(idle.workers));
  std::printf("idle_share %.4f\n", share);
  std::printf("p50_ms %.2f\n", quantile(times, 0.5));
  std::printf("p99_ms %.2f\n", quantile(times, 0.99));
  std::fflush(stdout);
  _exit(0);
}

int run_idle(char** argv) {
  Idle idle;
  idle.port = std::atoi(argv[0]);
  idle.token = argv[1];
  idle.target = argv[2];
  idle.workers = std::strtoul(argv[3], nullptr, 10);
  idle.rounds = std::strtoul(argv[4], nullptr, 10);
  idle.pid = std::atoi(argv[5]);
  idle.seconds = std::atoi(argv[6]);
  spawn(idle.context, drive_idle(idle));
  idle.context.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "rate" && argc == 9) {
    return run_rate(argv + 2);
  }
  if (mode == "claim" && argc == 6) {
    return run_claim(argv + 2);
  }
  if (mode == "idle" && argc == 9) {
    return run_idle(argv + 2);
  }
  std::fprintf(stderr, "queue_load: see the top of tests/perf/queue_load.cc\n");
  return 2;
}
