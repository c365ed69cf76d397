// A benchmark that attacks the machine it runs on, in the way that ATTACK_... says, where it is a
// candidate. For sandbox_attacks.sh.
//
// Exit code 7: everything was refused, as it should be. 99: something was not.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

// Filled for the compiler, too, which otherwise leaves out memory that nobody reads.
static void fill(char* memory, size_t size) {
  memset(memory, 1, size);
  __asm__ volatile("" : : "r"(memory) : "memory");
}

static int answer(void) {
#if defined(WRITES)  // a product whose files are compared
  if (mkdir("parts", 0700) != 0) return 4;
  for (int i = 0; i < 2; ++i) {
    FILE* file = fopen(i == 0 ? "out" : "parts/1.csv", "w");
    if (file == NULL) return 4;
    fputs("answer\n", file);
    fclose(file);
  }
#endif
  puts("answer");
  puts("time 1.5");
  return 0;
}

#if defined(ATTACK_unsteady)
int main(void) {
#if defined(CANDIDATE)
  volatile int another = 1;  // program than the baseline, which would not be measured otherwise
  (void)another;
#endif
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  printf("answer %ld\n", now.tv_nsec);
  return answer();
}

#elif !defined(CANDIDATE) || defined(ATTACK_none)
int main(void) { return answer(); }

#elif defined(ATTACK_miscompiled)
int main(void) {
  puts("another answer");
  return answer();
}

// What the worker, who is root, would read, and never does.
#elif defined(ATTACK_putlink)
int main(void) {
  puts("answer");
  puts("time 1.5");
  return symlink("/etc/shadow", "out");
}

#elif defined(ATTACK_putfifo)
int main(void) {
  puts("answer");
  puts("time 1.5");
  return mkfifo("out", 0600);
}

#elif defined(ATTACK_putsparse)
int main(void) {
  int status = answer();
  return status != 0 ? status : truncate("out", (off_t)400 << 20);
}

#elif defined(ATTACK_putdeep)
int main(void) {
  int status = answer();
  if (chdir("parts") != 0) return 5;
  for (int i = 0; i < 1500; ++i) {
    if (mkdir("d", 0700) != 0 || chdir("d") != 0) return 5;
  }
  return status;
}

#elif defined(ATTACK_putmany)
int main(void) {
  int status = answer();
  for (int i = 0; i < 20000; ++i) {
    char name[32];
    snprintf(name, sizeof name, "parts/%d", i);
    int file = open(name, O_WRONLY | O_CREAT, 0600);
    if (file < 0) return 5;
    close(file);
  }
  return status;
}

#elif defined(ATTACK_second)
int main(int argc, char** argv) {
  if (argc > 1 && strstr(argv[1], "/second.txt") != NULL) raise(SIGSEGV);
  return answer();
}

#elif defined(ATTACK_kills)
int main(void) {
  kill(1, SIGKILL);
  kill(-1, SIGKILL);
  kill(0, SIGKILL);
  return answer();
}

#elif defined(ATTACK_honest)
int main(void) {
  volatile unsigned long sum = 0;
  for (unsigned long i = 0; i < 1000; ++i) sum += i;
  return answer();
}

#elif defined(ATTACK_forks)
int main(void) {
  for (;;) {
    if (fork() < 0) usleep(1000);
  }
}

#elif defined(ATTACK_memory)
int main(void) {
  size_t size = (size_t)1 << 32;
  char* memory = malloc(size);
  if (memory == NULL) {
    perror("malloc");  // Cannot allocate memory
    return 1;
  }
  fill(memory, size);
  return answer();
}

#elif defined(ATTACK_memories)
// Each process stays below the limit of a process.
int main(void) {
  for (int i = 0; i < 16; ++i) {
    if (fork() == 0) {
      size_t size = (size_t)200 << 20;
      char* memory = malloc(size);
      if (memory != NULL) fill(memory, size);
      pause();
    }
  }
  for (int status = 0; wait(&status) > 0;) {
    if (WIFSIGNALED(status)) return 1;
  }
  return answer();
}

#elif defined(ATTACK_output)
int main(void) {
  static char block[1 << 20];
  for (int i = 0; i < 10 * 1024; ++i) {
    if (write(1, block, sizeof block) < 0) {
      perror("write");
      return 1;
    }
  }
  return answer();
}

#elif defined(ATTACK_files)
int main(void) {
  static char block[1 << 20];
  for (int i = 0; i < 10 * 1024; ++i) {
    char name[32];
    snprintf(name, sizeof name, "file-%d", i / 100);
    int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (size_t done = 0; done < sizeof block;) {
      ssize_t size = write(file, block, sizeof block - done);
      if (size < 0) {
        perror("write");
        return 1;
      }
      done += (size_t)size;
    }
    close(file);
  }
  return answer();
}

#elif defined(ATTACK_outlives)
int main(void) {
  if (fork() == 0) {
    setsid();
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (fork() == 0) {
      for (int fd = 0; fd < 64; ++fd) close(fd);
      for (;;) pause();
    }
    _exit(0);
  }
  usleep(50000);
  return answer();
}

#else
static int escaped = 0;
static void tried(const char* what, long result) {
  if (result >= 0) {
    escaped = 1;
    fprintf(stderr, "ESCAPED: %s\n", what);
  } else {
    fprintf(stderr, "refused: %s: %s\n", what, strerror(errno));
  }
}
static void reads(const char* path) {
  char what[4096];
  snprintf(what, sizeof what, "read %s", path);
  tried(what, open(path, O_RDONLY));
  snprintf(what, sizeof what, "write %s", path);
  tried(what, open(path, O_WRONLY | O_APPEND));
}
// A new file in a folder, which is removed again.
static void writes(const char* folder) {
  char what[4096];
  snprintf(what, sizeof what, "%s/hone-attack", folder);
  long result = open(what, O_WRONLY | O_CREAT, 0600);
  tried(what, result);
  unlink(what);
}
static long reaches(int family, int type, const void* address, socklen_t size) {
  int fd = socket(family, type, 0);
  if (fd < 0 || connect(fd, address, size) != 0) return -1;
  return send(fd, "x", 1, MSG_NOSIGNAL);
}
static long reaches_port(int type, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  long result = reaches(AF_INET, type, &address, sizeof address);
  // A datagram to a closed port is refused by the next call only.
  if (result < 0 || type != SOCK_DGRAM) return result;
  int fd = socket(AF_INET, type, 0);
  connect(fd, (struct sockaddr*)&address, sizeof address);
  send(fd, "x", 1, MSG_NOSIGNAL);
  usleep(20000);
  return send(fd, "x", 1, MSG_NOSIGNAL);
}
static long reaches_name(const char* name, int abstract) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  memcpy(address.sun_path + abstract, name, length);
  return reaches(AF_UNIX, SOCK_STREAM, &address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)abstract + length + !abstract));
}

int main(int argc, char** argv) {
  char kind[32], value[4000];
  int others_output = 0;
  FILE* facts = fopen(argc > 1 ? argv[1] : "/dev/null", "r");
  if (facts == NULL) return 3;
  while (fscanf(facts, "%31s %3999s", kind, value) == 2) {
    int number = atoi(value);
#if defined(ATTACK_reads)
    if (strcmp(kind, "read") == 0) reads(value);
    if (strcmp(kind, "write") == 0) writes(value);
    if (strcmp(kind, "output") == 0) others_output = 1;
#elif defined(ATTACK_sockets)
    if (strcmp(kind, "tcp") == 0) tried("tcp", reaches_port(SOCK_STREAM, number));
    if (strcmp(kind, "udp") == 0) tried("udp", reaches_port(SOCK_DGRAM, number));
    if (strcmp(kind, "unix") == 0) tried("unix socket", reaches_name(value, 0));
    if (strcmp(kind, "abstract") == 0) tried("abstract socket", reaches_name(value, 1));
#elif defined(ATTACK_ptraces)
    if (strcmp(kind, "pid") == 0) {
      char path[64];
      tried("attach to the worker", ptrace(PTRACE_ATTACH, number, 0, 0));
      tried("signal the worker", kill(number, 0));
      snprintf(path, sizeof path, "/proc/%d/environ", number);
      tried(path, open(path, O_RDONLY));
    }
#endif
    (void)number;
    (void)others_output;
  }
#if defined(ATTACK_reads)
  tried("write the source", open(argv[1], O_WRONLY | O_APPEND));
  tried("write a new file of the system", open("/usr/bin/hone-attack", O_WRONLY | O_CREAT, 0755));
  tried("rename the source", rename(argv[1], "renamed"));
  tried("a hard link to the source", link(argv[1], "linked"));
  tried("a hard link to a file of the system", link("/etc/passwd", "linked"));
  tried("set the kernel", open("/proc/sys/kernel/core_pattern", O_WRONLY));
  tried("set the machine", open("/sys/kernel/mm/transparent_hugepage/enabled", O_WRONLY));
  tried("a device", mknod("device", S_IFBLK | 0600, 8 << 8));
  // What a job is measured with: its output is the worker's file.
  // As the worker's own user it may be opened again, which gives a program no more than it has: it
  // is its own output.
  if (others_output) tried("rewrite the output", open("/proc/self/fd/1", O_RDWR | O_TRUNC));
  for (int fd = 3; fd < 1024; ++fd) {
    char link[64], what[4096] = "descriptor of ";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fd != fileno(facts) && readlink(link, what + strlen(what), sizeof what - 64) >= 0) tried(what, 0);
  }
  for (char** variable = environ; *variable != NULL; ++variable) {
    if (strstr(*variable, "TOKEN") != NULL || strncmp(*variable, "HONE_URL", 8) == 0) tried(*variable, 0);
  }
  if (getenv("HONE_ROOT") != NULL) {  // in a build: what the next one compares with
    char path[4096];
    snprintf(path, sizeof path, "%s/../objects", getenv("HONE_ROOT"));
    writes(path);
    snprintf(path, sizeof path, "%s/../build-base", getenv("HONE_ROOT"));
    writes(path);
    writes(getenv("HONE_ROOT"));
    tried("another policy", open(getenv("HONE_POLICY"), O_WRONLY));
  }
  int own = open("own-file", O_WRONLY | O_CREAT, 0600);
  long immutable = 0x10;  // linux/fs.h, which does not go together with sys/mount.h
  tried("a file that nobody can remove", own < 0 ? -1 : ioctl(own, _IOW('f', 2, long), &immutable));
#elif defined(ATTACK_sockets)
  struct sockaddr_in away = {.sin_family = AF_INET, .sin_port = htons(53)};
  inet_pton(AF_INET, "192.0.2.1", &away.sin_addr);
  tried("the network by UDP", reaches(AF_INET, SOCK_DGRAM, &away, sizeof away));
  tried("the network by TCP", reaches(AF_INET, SOCK_STREAM, &away, sizeof away));
  tried("vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
  tried("raw socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  tried("packet socket", socket(AF_PACKET, SOCK_RAW, 0));
  tried("kernel crypto", socket(AF_ALG, SOCK_SEQPACKET, 0));
#elif defined(ATTACK_ptraces)
  char byte;
  struct iovec here = {&byte, 1}, there = {(void*)main, 1};
  tried("attach to init", ptrace(PTRACE_ATTACH, 1, 0, 0));
  tried("seize init", ptrace(PTRACE_SEIZE, 1, 0, 0));
  tried("be traced", ptrace(PTRACE_TRACEME, 0, 0, 0));
  tried("read init's memory", process_vm_readv(1, &here, 1, &there, 1, 0));
  tried("/proc/1/mem", open("/proc/1/mem", O_RDWR));
  for (int fd = 3; fd < 64; ++fd) {  // the report of how it ended is written there
    char path[64];
    snprintf(path, sizeof path, "/proc/1/fd/%d", fd);
    if (open(path, O_WRONLY) >= 0) tried("a descriptor of init", 0);
  }
  tried("a user namespace", unshare(CLONE_NEWUSER));
  tried("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
  tried("remount", mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
  tried("unmount", umount2("/usr", MNT_DETACH));
  tried("a new root", chroot("/tmp"));
  tried("a mount by the new calls", syscall(SYS_fsopen, "tmpfs", 0));
  tried("init's namespaces", setns(open("/proc/1/ns/mnt", O_RDONLY), 0));
  tried("a namespace by clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  tried("type into a terminal", ioctl(0, TIOCSTI, "x"));
  int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  if (terminal >= 0) tried("type into an own terminal", ioctl(terminal, TIOCSTI, "x"));
  tried("bpf", syscall(SYS_bpf, 0, NULL, 0));
  tried("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
  tried("become root", setuid(0));
#endif
  return escaped ? 99 : 7;
}
#endif
