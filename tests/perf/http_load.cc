// http_load: sends one request again and again over connections that stay, to one server or to two
// in turns, and says what each request cost the servers' processors.
//
//   http_load --request FILE [--reply FILE] --turns N --requests N --connections N PORT:PID
//   [PORT:PID]
//
//   --request   the bytes of a request
//   --reply     writes the first reply here
//
// Prints for each turn and server: TURN SERVER CPU_NS_PER_REQUEST, and at the end, with two
// servers, "ratio R": the median over turns of the first one's cost by the second one's. CPU time
// is that of the process PID alone, from the scheduler (/proc/PID/task/*/schedstat). Each answer
// must have the first one's status and as long a body; two servers must answer alike. Exit 1
// otherwise; 2 for bad usage.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void give_up(const std::string& why, int code = 1) {
  std::fprintf(stderr, "http_load: %s\n", why.c_str());
  std::exit(code);
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    give_up("cannot read " + path, 2);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Nanoseconds that the process has run for.
std::uint64_t cpu_ns(const std::string& pid) {
  std::uint64_t total = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + pid + "/task")) {
    std::ifstream stat(task.path() / "schedstat");
    std::uint64_t ran = 0;
    stat >> ran;
    total += ran;
  }
  return total;
}

int connect_to(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    give_up("cannot reach port " + std::to_string(port));
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

class Server {
 public:
  Server(const std::string& spec, std::string request, int connections)
      : request_(std::move(request)), poll_(epoll_create1(EPOLL_CLOEXEC)) {
    const std::size_t colon = spec.find(':');
    if (colon == std::string::npos) {
      give_up("'" + spec + "' is not PORT:PID", 2);
    }
    pid_ = spec.substr(colon + 1);
    for (int i = 0; i < connections; ++i) {
      const int fd = connect_to(std::atoi(spec.c_str()));
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u32 = static_cast<std::uint32_t>(sockets_.size());
      epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &event);
      sockets_.push_back({.fd = fd});
    }
    learn_reply();
  }

  const std::string& reply() const { return reply_; }

  // CPU nanoseconds of the server for each of so many requests.
  double turn(std::uint64_t requests) {
    const std::uint64_t before = cpu_ns(pid_);
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    for (Socket& one : sockets_) {
      send_one(one);
      ++sent;
    }
    std::vector<epoll_event> events(sockets_.size());
    while (answered < sent) {
      const int ready = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 10'000);
      if (ready <= 0) {
        give_up("no answer within 10 s");
      }
      for (int i = 0; i < ready; ++i) {
        Socket& one = sockets_[events[static_cast<std::size_t>(i)].data.u32];
        if (!take(one)) {
          continue;
        }
        ++answered;
        if (sent < requests) {
          send_one(one);
          ++sent;
        }
      }
    }
    return static_cast<double>(cpu_ns(pid_) - before) / static_cast<double>(answered);
  }

 private:
  struct Socket {
    int fd = -1;
    std::string got{};  // of the reply that is awaited
  };

  void send_one(const Socket& one) const {
    if (send(one.fd, request_.data(), request_.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request_.size())) {
      give_up("cannot send");
    }
  }

  // Whether a reply is whole now.
  bool take(Socket& one) {
    const ssize_t got = recv(one.fd, room_.data(), room_.size(), MSG_DONTWAIT);
    if (got <= 0) {
      give_up("the server left");
    }
    one.got.append(room_.data(), static_cast<std::size_t>(got));
    const std::size_t head = one.got.find("\r\n\r\n");
    if (head == std::string::npos || one.got.size() < head + 4 + body_size_) {
      return false;
    }
    if (one.got.size() > head + 4 + body_size_ || one.got.compare(0, 12, reply_, 0, 12) != 0) {
      give_up("an answer is another: " + one.got.substr(0, 12));
    }
    one.got.clear();
    return true;
  }

  // The first answer: what comes until nothing does for a while.
  void learn_reply() {
    const Socket& one = sockets_.front();
    send_one(one);
    pollfd waiting{one.fd, POLLIN, 0};
    while (poll(&waiting, 1, reply_.empty() ? 10'000 : 300) > 0) {
      const ssize_t got = recv(one.fd, room_.data(), room_.size(), 0);
      if (got <= 0) {
        break;
      }
      reply_.append(room_.data(), static_cast<std::size_t>(got));
    }
    const std::size_t head = reply_.find("\r\n\r\n");
    if (head == std::string::npos) {
      give_up("no answer to the first request");
    }
    body_size_ = reply_.size() - head - 4;
  }

  std::string request_;
  std::string pid_;
  int poll_;
  std::vector<Socket> sockets_;
  std::string reply_;
  std::size_t body_size_ = 0;  // of every reply
  std::vector<char> room_ = std::vector<char>(1 << 20);
};

// Whether two replies have the same headers, whatever their values, and the same body.
bool alike(const std::string& a, const std::string& b) {
  const auto names = [](const std::string& reply) {
    std::vector<std::string> found;
    const std::size_t end = reply.find("\r\n\r\n");
    for (std::size_t at = 0; at < end; at = reply.find("\r\n", at) + 2) {
      found.push_back(reply.substr(at, reply.find_first_of(":\r", at) - at));
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  return names(a) == names(b) && a.substr(a.find("\r\n\r\n")) == b.substr(b.find("\r\n\r\n"));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string request;
  std::string reply;
  int turns = 0;
  int requests = 0;
  int connections = 0;
  std::vector<std::string> specs;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (!name.starts_with("--")) {
      specs.emplace_back(name);
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (name == "--request") {
      request = value;
    } else if (name == "--reply") {
      reply = value;
    } else if (name == "--turns") {
      turns = std::atoi(value.c_str());
    } else if (name == "--requests") {
      requests = std::atoi(value.c_str());
    } else if (name == "--connections") {
      connections = std::atoi(value.c_str());
    } else {
      give_up("unknown option " + std::string(name), 2);
    }
  }
  if (request.empty() || turns < 1 || requests < 1 || connections < 1 || specs.empty() ||
      specs.size() > 2) {
    give_up(
        "usage: http_load --request FILE [--reply FILE] --turns N --requests N "
        "--connections N PORT:PID [PORT:PID]",
        2);
  }
  std::vector<Server> servers;
  for (const std::string& spec : specs) {
    servers.emplace_back(spec, read_all(request), connections);
  }
  if (!reply.empty()) {
    std::ofstream(reply, std::ios::binary) << servers.front().reply();
  }
  if (servers.size() == 2 && !alike(servers[0].reply(), servers[1].reply())) {
    give_up("the two servers answer differently");
  }
  std::vector<double> ratios;
  for (int turn = 0; turn < turns; ++turn) {
    std::vector<double> costs(servers.size());
    for (std::size_t i = 0; i < servers.size(); ++i) {
      // Who is first changes from turn to turn.
      const std::size_t server = (i + static_cast<std::size_t>(turn)) % servers.size();
      costs[server] = servers[server].turn(static_cast<std::uint64_t>(requests));
      std::printf("%d %zu %.0f\n", turn, server, costs[server]);
    }
    if (servers.size() == 2) {
      ratios.push_back(costs[0] / costs[1]);
    }
  }
  if (!ratios.empty()) {
    std::printf("ratio %.3f\n", median(ratios));
  }
}
