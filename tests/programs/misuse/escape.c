// Tries to reach beyond its own process, in the way its argument says. The file "escaped" shows
// that it came through.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
    char *touch[] = {"/usr/bin/touch", "escaped", NULL};
    const char *how = argv[1];
    pid_t child;
    puts("before");
    fflush(stdout);
    if (!strcmp(how, "socket")) {
        socket(AF_INET, SOCK_STREAM, 0);
    } else if (!strcmp(how, "execve")) {
        execve(touch[0], touch, environ);
    } else if (!strcmp(how, "fork")) {
        if (fork() == 0)
            execve(touch[0], touch, environ);
        wait(NULL);
    } else if (!strcmp(how, "vfork")) {
        if (vfork() == 0)
            _exit(execve(touch[0], touch, environ));
    } else if (!strcmp(how, "spawn")) {
        posix_spawn(&child, touch[0], NULL, NULL, touch, environ);
    } else if (!strcmp(how, "system")) {
        system("touch escaped");
    } else if (!strcmp(how, "ptrace")) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
    } else if (!strcmp(how, "kill")) {
        kill(getppid(), 9);
    } else if (!strcmp(how, "mount")) {
        syscall(165, "none", "/mnt", "tmpfs", 0, 0);
    } else if (!strcmp(how, "unknown")) {
        syscall(999);
    }
    puts("after");
    return 0;
}
