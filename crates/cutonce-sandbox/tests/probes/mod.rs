//! Attempts of a hostile command. The placeholders are those of `world`.

/// Attacks on files and names with ordinary programs.
pub const SHELL: &[(&str, &str)] = &[
    ("create", "touch pwned; : > pwned; mkdir pwned.d; mkfifo pwned.f; ln -s x pwned.l; ln victim.txt pwned.h"),
    ("outside", "touch @OUT@/pwned @HOME@/pwned /var/tmp/pwned-cutonce; ls /var/tmp/pwned-cutonce"),
    ("write", "echo x > victim.txt; echo x >> victim.txt; echo x >| victim.txt; echo x <> victim.txt >&0"),
    ("hard link", "echo x >> @OUT@/hard.txt"),
    ("truncate", "truncate -s 0 victim.txt; : > victim.txt; dd if=/dev/null of=victim.txt 2>/dev/null"),
    ("remove", "rm -f victim.txt; rm -rf src .git; rmdir docs; unlink t.py; find . -delete"),
    ("rename", "mv victim.txt x; mv src x; mv -f t.py victim.txt; mv @OUT@ @OUT@2; mv victim.txt $TMPDIR/"),
    ("rename in", "echo evil > $TMPDIR/evil; mv $TMPDIR/evil victim.txt; ln $TMPDIR/evil pwned; cp $TMPDIR/evil t.py"),
    ("link out", "ln victim.txt $TMPDIR/h && echo x > $TMPDIR/h; ln -s @WS@/victim.txt $TMPDIR/l; echo x > $TMPDIR/l"),
    ("link to a folder", "ln -s @WS@ $TMPDIR/w; touch $TMPDIR/w/pwned; rm -rf $TMPDIR/w/src"),
    ("mode", "chmod 777 victim.txt; chmod -R 700 .; chmod +x t.py; chmod 4755 exec.sh; chmod 000 @OUT@"),
    ("owner", "chown $(id -u):$(id -g) victim.txt; chgrp $(id -g) victim.txt; chown -h 1:1 link.txt"),
    ("times", "touch victim.txt; touch -d 2001-01-01 victim.txt; touch -h link.txt; touch -r t.py @OUT@/outside.txt"),
    (
        "attributes",
        "setfattr -n user.x -v 1 victim.txt; chattr +i victim.txt; chattr +d t.py; chattr -i victim.txt; setfacl -m u:0:r t.py",
    ),
    (
        "in place",
        "sed -i s/pear/x/ victim.txt; perl -pi -e s/pear/x/ victim.txt; sort -o victim.txt t.py; ed -s victim.txt <<< $'1d\\nw'",
    ),
    (
        "copy with attributes",
        "cp -p t.py victim.txt; cp -a src pwned; install -m 755 t.py pwned; rsync t.py pwned; tar cf pwned.tar .",
    ),
    (
        "unpack",
        "tar cf $TMPDIR/a.tar t.py && tar xf $TMPDIR/a.tar -C @OUT@; gzip -k victim.txt; xz -k victim.txt; zip pwned.zip t.py",
    ),
    (
        "git writes",
        "git add .; git commit --allow-empty -m x; git tag pwned; git branch pwned; git stash; git checkout -b pwned; git gc; git config x.y z",
    ),
    (
        "git reset",
        "git reset --hard HEAD~1; git clean -fdx; git rm -f t.py; git worktree add @OUT@/pwned; git update-ref refs/heads/pwned HEAD",
    ),
    (
        "git index",
        "GIT_OPTIONAL_LOCKS=1 git status; git update-index --refresh; git update-index --assume-unchanged t.py; git read-tree HEAD",
    ),
    (
        "git hooks",
        "git -c core.hooksPath=@WS@ commit --allow-empty -m x; git -c core.fsmonitor=./exec.sh status; git -c core.pager=./exec.sh -p log",
    ),
    (
        "git elsewhere",
        "GIT_DIR=@OUT@/pwned git init -q; git clone -q . @OUT@/pwned; git --git-dir=.git --work-tree=@OUT@ checkout -f",
    ),
    (
        "git maintenance",
        "git repack -ad; git pack-refs --all; git prune; git reflog expire --expire=now --all; git notes add -m x; git rerere",
    ),
    (
        "editors",
        "vi -es -c 'w! pwned' -c q victim.txt; ex -s -c '%d|x' victim.txt; printf 'a\\nx\\n.\\nw\\nq\\n' | ed -s t.py; nano --version > pwned",
    ),
    (
        "build tools",
        "make; npm test; npm init -y; cargo build --offline; go build ./...; python3 -m compileall .; cmake .",
    ),
    (
        "home",
        "echo evil >> ~/.bashrc; git config --global a.b c; mkdir -p ~/.cache/x; ssh-keygen -q -N '' -f ~/.ssh/pwned; crontab -l | crontab -",
    ),
    ("history", "HISTFILE=@WS@/pwned; set -o history; echo x; history -a; history -w"),
    ("exit trap", "trap 'touch @WS@/pwned' EXIT; exit 3"),
    ("later", "(sleep 0.2; touch @WS@/pwned) & disown"),
    (
        "later, own session",
        "setsid bash -c 'trap \"\" TERM HUP; sleep 0.2; echo x > @WS@/victim.txt' > /dev/null 2>&1 &",
    ),
    (
        "loops",
        "for i in 1 2 3; do echo $i > pwned$i; done; while ! touch pwned; do break; done; until touch pwned; do break; done",
    ),
    (
        "substitutions",
        "cat <(touch pwned); echo $(touch pwned) `touch pwned`; : ${x:=$(touch pwned)}; (( $(touch pwned; echo 1) ))",
    ),
    (
        "interpreters",
        "perl -e 'open F, \">pwned\"'; awk 'BEGIN{print 1 > \"pwned\"}'; node -e 'require(\"fs\").writeFileSync(\"pwned\",\"\")'; sqlite3 pwned 'create table t(a)'",
    ),
    (
        "scripts",
        "./exec.sh; . ./exec.sh; sh exec.sh; bash < exec.sh; xargs -a exec.sh -I{} sh -c {}; env ./exec.sh; timeout 5 ./exec.sh",
    ),
    (
        "through proc",
        "echo x > /proc/self/cwd/victim.txt; echo x > /proc/self/root@WS@/victim.txt; echo x > /proc/$$/root@OUT@/outside.txt",
    ),
    (
        "another's root",
        "echo x > /proc/@PID@/root@WS@/victim.txt; echo x > /proc/@PID@/cwd/pwned; cat /proc/@PID@/root@HOME@/.ssh/id_ed25519",
    ),
    (
        "the agent's root",
        "echo x > /proc/@AGENT@/root@WS@/victim.txt; cat /proc/@AGENT@/root@HOME@/.netrc; cat /proc/@AGENT@/root@WS@/.env",
    ),
    (
        "the first process",
        "cat /proc/1/root@HOME@/.netrc; cat /proc/1/environ; cat /proc/1/mem; ls /proc/1/fd; echo x > /proc/1/root@WS@/victim.txt",
    ),
    (
        "every process",
        "for p in /proc/[0-9]*; do cat $p/environ; cat $p/root@WS@/.env; for f in $p/fd/*; do :; done; done 2>/dev/null | tr '\\0' '\\n'",
    ),
    (
        "signals",
        "kill -9 @PID@; kill -STOP @PID@; kill -9 -1; pkill -9 -f 'sleep 3600'; killall -9 sleep; kill -USR1 @AGENT@",
    ),
    ("the supervisor", "kill -9 $PPID; kill -STOP $PPID; kill -9 1; (sleep 0.1; touch pwned) & kill -9 $PPID"),
    (
        "priorities",
        "renice -n 10 -p @PID@; ionice -c 3 -p @PID@; taskset -p 1 @PID@; chrt -b -p 0 @PID@; prlimit --pid @PID@ --nofile=5",
    ),
    ("tracing", "gdb -p @PID@ -batch -ex 'call (int)kill(1,9)'; strace -p @PID@ -o pwned & sleep 0.2; kill %1"),
    (
        "mounts",
        "mount -t tmpfs x @WS@; mount --bind @OUT@ @WS@; umount @WS@; umount -l /; mount -o remount,rw /; mount -o remount,rw @WS@",
    ),
    (
        "mounts again",
        "umount @TMP@; umount @WS@/.env; umount -l @HOME@/.ssh; umount /proc; cat @WS@/.env @HOME@/.ssh/id_ed25519",
    ),
    (
        "namespaces",
        "unshare -Urm bash -c 'mount -o remount,rw /; mount -o remount,bind,rw @WS@; echo x > @WS@/victim.txt'; unshare -m; unshare -p true",
    ),
    (
        "others' namespaces",
        "nsenter -t 1 -m touch @WS@/pwned; nsenter -t @PID@ -a touch @WS@/pwned; nsenter -t @AGENT@ -m -U touch @WS@/pwned",
    ),
    (
        "containers",
        "bwrap --bind / / touch @WS@/pwned; chroot / touch @WS@/pwned; docker ps; podman ps; firejail true; runuser -u root touch @WS@/pwned",
    ),
    (
        "other users",
        "su -c 'touch @WS@/pwned'; sudo -n touch @WS@/pwned; setpriv --reuid 0 touch @WS@/pwned; newgrp root; doas touch @WS@/pwned; pkexec true",
    ),
    (
        "deputies",
        "systemd-run --user touch @WS@/pwned; at now <<< 'touch @WS@/pwned'; dbus-send --session / a.b.c; loginctl; tmux new -d 'touch @WS@/pwned'; screen -dm touch @WS@/pwned",
    ),
    (
        "tcp",
        "exec 3<>/dev/tcp/127.0.0.1/@PORT@; echo x >&3; curl -s -m 2 http://127.0.0.1:@PORT@/; wget -q -T 1 -t 1 http://127.0.0.1:@PORT@/",
    ),
    (
        "udp",
        "echo x > /dev/udp/127.0.0.1/@UDP@; echo x | nc -u -w1 127.0.0.1 @UDP@; exec 3>/dev/udp/127.0.0.1/@UDP@ && echo x >&3",
    ),
    (
        "by other tools",
        "node -e 'require(\"net\").connect(@PORT@)'; perl -MIO::Socket -e 'IO::Socket::INET->new(\"127.0.0.1:@PORT@\")'; ssh -o BatchMode=yes -p @PORT@ 127.0.0.1",
    ),
    (
        "unix sockets",
        "curl -s --unix-socket @S@/stream http://x/; socat - UNIX-CONNECT:@S@/stream; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer=>\"@S@/stream\")'",
    ),
    ("fifo", "mkfifo @OUT@/f; echo x > @S@/stream; cat @S@/stream"),
    (
        "secrets",
        "cat .env docs/.env ~/.ssh/id_ed25519 ~/.netrc ~/.cutonce/session.jsonl; grep -r s3cr3t . ~; strings .env; head -c 99 .env; od -c .env | tr -d ' '",
    ),
    (
        "secrets by tools",
        "sort .env; awk 1 .env; source .env; mapfile -t a < .env; echo ${a[@]}; perl -ne print .env; sed '' .env; dd if=.env 2>/dev/null; base64 .env | base64 -d",
    ),
    (
        "secrets by proc",
        "cat /proc/self/cwd/.env; cat /proc/self/root@HOME@/.netrc; cat /proc/thread-self/cwd/docs/.env; cd /proc/self/cwd && cat .env",
    ),
    (
        "secrets by links",
        "ln -s @WS@/.env $TMPDIR/e; cat $TMPDIR/e; ln @WS@/.env $TMPDIR/h; cat $TMPDIR/h; cp -l .env $TMPDIR/c; cat $TMPDIR/c",
    ),
    (
        "secrets moved",
        "mv .env $TMPDIR/m; cat $TMPDIR/m; mv docs d2; cat d2/.env; cp -r . $TMPDIR/copy; cat $TMPDIR/copy/.env; tar c . | tar xO",
    ),
    (
        "secrets as programs",
        "bash .env; sh ~/.netrc; ./.env; python3 .env; make -f .env; git config -f .env -l; git diff --no-index /dev/null .env; xargs -a .env echo",
    ),
    (
        "secrets by tracing",
        "bash -x .env; bash -v .env; node .env; curl -s file://@WS@/.env; git hash-object -w .env; git grep --no-index TOKEN; git add -f .env; git stash show -p",
    ),
    (
        "raw disk",
        "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmem /dev/port; do head -c 1 $d >/dev/null && echo s3cr3t-canary-41d7; done 2>/dev/null",
    ),
    (
        "disk writes",
        "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem; do exec 3<>$d && echo s3cr3t-canary-41d7; done 2>/dev/null; mknod $TMPDIR/d b 254 0 && exec 3<$TMPDIR/d && echo s3cr3t-canary-41d7",
    ),
    (
        "terminals",
        "for t in /dev/tty /dev/pts/* /dev/console /dev/tty0 /dev/ttyS0; do echo s3cr3t-canary-41d7 < $t; echo x > $t && echo s3cr3t-canary-41d7; done 2>/dev/null",
    ),
    (
        "kernel",
        "echo c > /proc/sysrq-trigger; echo x > /proc/sys/kernel/core_pattern; echo 1 > /proc/sys/vm/drop_caches; echo x > /sys/power/state; dmesg -C; sysctl -w kernel.hostname=x; hostname pwned",
    ),
    (
        "control groups",
        "mkdir /sys/fs/cgroup/pwned /sys/fs/cgroup/unified/pwned /sys/fs/cgroup/cpu/pwned && echo s3cr3t-canary-41d7; echo @PID@ > /sys/fs/cgroup/cpu/cgroup.procs",
    ),
    ("crash", "ulimit -c unlimited; (kill -SEGV $BASHPID); (kill -ABRT $BASHPID); ls core* && echo s3cr3t-canary-41d7"),
    (
        "descriptors",
        "for f in /proc/self/fd/*; do case $(readlink $f) in ''|pipe*|/dev/null|/proc/*) ;; *) echo s3cr3t-canary-41d7 $f;; esac; done; for i in 3 4 5 6 7 8 9 10; do echo x >&$i; done 2>/dev/null",
    ),
    (
        "bash's own",
        "enable -f /lib/x.so x; exec 3<>victim.txt; echo x >&3; read -r < .env; echo $REPLY; printf x > victim.txt; mapfile < .env; echo $MAPFILE",
    ),
    (
        "races",
        "for i in {1..200}; do ln -sfn @WS@ $TMPDIR/r; echo x > $TMPDIR/r/victim.txt; ln -sfn @TMP@ $TMPDIR/r; done 2>/dev/null & for i in {1..200}; do cat $TMPDIR/r/.env; done 2>/dev/null; wait",
    ),
    (
        "the temp folder itself",
        "rm -rf $TMPDIR; mv $TMPDIR @OUT@/x; rmdir $TMPDIR; chmod 777 @TMP@/..; touch @TMP@/../pwned",
    ),
    (
        "debuggers",
        "echo x > /proc/@PID@/mem; echo 0 > /proc/@PID@/oom_score_adj; echo 9 > /proc/@PID@/clear_refs; cat /proc/@PID@/environ /proc/@PID@/maps; echo x > /proc/@PID@/fd/1",
    ),
];

/// System calls that no ordinary program makes, from Python.
pub const CALLS: &[(&str, &str)] = &[
    ("utime", "os.utime('victim.txt',(1,1)); os.utime('link.txt',(1,1),follow_symlinks=False)"),
    ("futimens on a read descriptor", "f=os.open('victim.txt',0); os.utime(f,(1,1))"),
    ("fchmod on a read descriptor", "f=os.open('victim.txt',0); os.fchmod(f,0o777)"),
    ("fchown on a read descriptor", "f=os.open('victim.txt',0); os.fchown(f,os.getuid(),os.getgid())"),
    ("fsetxattr on a read descriptor", "f=os.open('victim.txt',0); os.setxattr(f,'user.x',b'1')"),
    ("chmod by descriptor path", "f=os.open('victim.txt',os.O_PATH); os.chmod('/proc/self/fd/%d'%f,0o777)"),
    ("fchmodat2", "L.syscall(452,-100,b'victim.txt',0o777,0x100)"),
    (
        "setxattrat",
        "v=b'1'; L.syscall(463,-100,b'victim.txt',0,b'user.x',struct.pack('QII',ctypes.addressof(ctypes.create_string_buffer(v)),1,0),16)",
    ),
    ("file_setattr", "L.syscall(469,-100,b'victim.txt',struct.pack('QIIII',0x40,0,0,0,0),24,0)"),
    ("chattr ioctl", "import fcntl; f=os.open('victim.txt',0); fcntl.ioctl(f,0x40086602,struct.pack('l',0x40))"),
    (
        "fsxattr ioctl",
        "import fcntl; f=os.open('victim.txt',0); fcntl.ioctl(f,0x401c5820,struct.pack('IIIII8x',0x40,0,0,7,0))",
    ),
    ("generation ioctl", "import fcntl; f=os.open('victim.txt',0); fcntl.ioctl(f,0x40086604,struct.pack('l',5))"),
    (
        "verity",
        "import fcntl; f=os.open('victim.txt',0); fcntl.ioctl(f,0x40806685,struct.pack('IIIIQIIQ',1,1,4096,0,0,0,0,0)+bytes(88))",
    ),
    ("encryption policy", "import fcntl; f=os.open('docs',0); fcntl.ioctl(f,0x800c6613,bytes(12))"),
    ("rename exchange", "L.renameat2(-100,b't.py',-100,b'victim.txt',2)"),
    ("rename whiteout", "L.renameat2(-100,b't.py',-100,b'pwned',4)"),
    ("unnamed file", "f=os.open('.',os.O_TMPFILE|os.O_RDWR,0o600); os.link('/proc/self/fd/%d'%f,'pwned')"),
    (
        "unnamed file from the temp folder",
        "f=os.open(os.environ['TMPDIR'],os.O_TMPFILE|os.O_RDWR,0o600); os.link('/proc/self/fd/%d'%f,'@WS@/pwned')",
    ),
    ("truncate by path", "os.truncate('victim.txt',0)"),
    ("open to truncate", "os.open('victim.txt',os.O_RDONLY|os.O_TRUNC)"),
    ("append and allocate", "f=os.open('victim.txt',os.O_RDONLY); L.fallocate(f,0,0,99); L.ftruncate(f,0)"),
    (
        "shared mapping",
        "import mmap; f=os.open('victim.txt',os.O_RDONLY); m=mmap.mmap(f,0,mmap.MAP_SHARED,mmap.PROT_READ); L.mprotect(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer_copy(m))),4096,3)",
    ),
    ("writing a mapping", "import mmap; f=os.open('victim.txt',os.O_RDWR); m=mmap.mmap(f,0); m[0:1]=b'X'"),
    ("own memory file", "f=open('/proc/self/mem','r+b')"),
    ("splice into a file", "r,w=os.pipe(); os.write(w,b'x'); f=os.open('victim.txt',os.O_RDONLY); os.splice(r,f,1)"),
    ("copy_file_range", "a=os.open('t.py',0); b=os.open('victim.txt',os.O_RDONLY); os.copy_file_range(a,b,1)"),
    (
        "clone of a file",
        "import fcntl; a=os.open('t.py',0); b=os.open('victim.txt',os.O_RDONLY); fcntl.ioctl(b,0x40049409,a)",
    ),
    (
        "dedupe",
        "import fcntl; a=os.open('t.py',0); b=os.open('victim.txt',0); fcntl.ioctl(a,0xc0189436,struct.pack('QQHHIqQQiI',0,4,1,0,0,b,0,0,0,0))",
    ),
    (
        "lease",
        "import fcntl; f=os.open('victim.txt',0); [print('s3cr3t-'+'canary-41d7') for _ in [fcntl.fcntl(f,1024,fcntl.F_WRLCK)]]",
    ),
    (
        "signal by a descriptor's owner",
        "import fcntl; r,w=os.pipe(); fcntl.fcntl(r,8,@PID@); fcntl.fcntl(r,10,9); fcntl.fcntl(r,4,0o20000); os.write(w,b'x')",
    ),
    ("pidfd signal", "f=os.pidfd_open(@PID@); import signal; signal.pidfd_send_signal(f,9)"),
    ("queued signal", "L.syscall(129,@PID@,9,bytes(128)); L.syscall(200,@PID@,9); L.syscall(234,@PID@,@PID@,9)"),
    ("pidfd_getfd", "f=os.pidfd_open(@AGENT@); [L.syscall(438,f,i,0) for i in range(40)]"),
    (
        "process_vm_writev",
        "b=ctypes.create_string_buffer(8); L.process_vm_writev(@PID@,struct.pack('QQ',ctypes.addressof(b),8),1,struct.pack('QQ',0x400000,8),1,0)",
    ),
    ("ptrace", "L.ptrace(16,@PID@,0,0); L.ptrace(0x4206,@PID@,0,0); L.ptrace(8,@PID@,0,0)"),
    (
        "limits of others",
        "L.syscall(302,@PID@,7,struct.pack('QQ',3,3),0); L.setpriority(0,@PID@,10); L.syscall(251,1,@PID@,3<<13)",
    ),
    ("scheduling of others", "os.sched_setaffinity(@PID@,{0}); os.sched_setscheduler(@PID@,3,os.sched_param(0))"),
    ("raw socket", "socket.socket(socket.AF_INET,socket.SOCK_RAW,1); socket.socket(socket.AF_PACKET,socket.SOCK_RAW)"),
    ("udp send", "socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b'x',('127.0.0.1',@UDP@))"),
    ("fast open", "socket.socket().sendto(b'x',0x20000000,('127.0.0.1',@PORT@))"),
    ("mptcp", "s=socket.socket(socket.AF_INET,socket.SOCK_STREAM,262); s.connect(('127.0.0.1',@PORT@))"),
    ("ipv6 mapped", "s=socket.socket(socket.AF_INET6); s.connect(('::ffff:127.0.0.1',@PORT@))"),
    ("unix stream", "s=socket.socket(socket.AF_UNIX); s.connect('@S@/stream')"),
    ("unix datagram", "s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM); s.sendto(b'x','@S@/dgram')"),
    ("unix abstract", "s=socket.socket(socket.AF_UNIX); s.connect('\\0@ABSTRACT@')"),
    ("datagram pair", "a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM); a.sendto(b'x','@S@/dgram')"),
    ("stream pair, reconnected", "a,b=socket.socketpair(); b.close(); a.connect('@S@/stream')"),
    (
        "seqpacket pair, sent elsewhere",
        "a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_SEQPACKET); a.sendto(b'x','@S@/dgram')",
    ),
    ("vsock", "s=socket.socket(40,socket.SOCK_STREAM); s.settimeout(1); s.connect((2,@PORT@))"),
    ("netlink", "s=socket.socket(16,3,0); s.bind((0,0)); s=socket.socket(16,3,9)"),
    ("kernel crypto", "s=socket.socket(38,5,0); s.bind(('hash','sha1'))"),
    ("io_uring", "assert L.syscall(425,8,bytes(120))<0; print('' if ctypes.get_errno() else 's3cr3t-canary-41d7')"),
    ("user namespace by clone", "L.unshare(0x10000000) and L.unshare(0x20000); L.syscall(56,0x10000011,0,0,0,0)"),
    (
        "user namespace by clone3",
        "a=struct.pack('QQQQQQQQ',0x10020000,0,0,0,17,0,0,0); r=L.syscall(435,a,64); (r==0) and os._exit(0)",
    ),
    (
        "new mount interface",
        "L.syscall(428,-100,b'/',1); L.syscall(442,-100,b'/',0x8000,struct.pack('QQQQ',0,1,0,0),32); L.syscall(430,b'tmpfs',0)",
    ),
    (
        "open by handle",
        "h=ctypes.create_string_buffer(struct.pack('Ii',128,0)+bytes(128)); m=ctypes.c_int(); L.name_to_handle_at(-100,b'@WS@/.env',h,ctypes.byref(m),0); f=L.open_by_handle_at(os.open('/',0),h,0); print(os.read(f,99))",
    ),
    ("keys", "L.syscall(248,b'user',b'pwned',b'x',1,-4); L.syscall(250,0,-4,1)"),
    (
        "shared memory",
        "i=L.shmget(0x41d7,4096,0o1666); print('s3cr3t-canary-41d7' if i>=0 and os.environ.get('SHARED') else '')",
    ),
    ("performance events", "L.syscall(298,bytes(128),@PID@,-1,-1,0); L.syscall(321,0,bytes(64),64); L.syscall(323,0)"),
    (
        "32-bit calls",
        "import mmap; m=mmap.mmap(-1,4096,prot=7); m.write(b'\\xb8\\x0f\\x00\\x00\\x00\\xbb\\x00\\x00\\x00\\x00\\xcd\\x80\\xc3'); ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()",
    ),
    ("x32 calls", "L.syscall(0x40000000|90,b'victim.txt',0o777); L.syscall(0x40000000|2,b'pwned',0o102,0o644)"),
    (
        "capabilities",
        "L.prctl(24,21,0,0,0); L.syscall(126,struct.pack('II',0x20080522,0),struct.pack('IIIIII',*[0xffffffff]*6)); L.prctl(28,0); os.setuid(0); open('@OUT@/outside.txt','a').write('x')",
    ),
    ("leaving no_new_privs", "L.prctl(38,0,0,0,0); L.prctl(22,0); os.system('sudo -n touch pwned')"),
    ("secret by sendfile", "f=os.open('.env',0); os.sendfile(1,f,0,99)"),
    ("secret by O_PATH", "f=os.open('.env',os.O_PATH); print(open('/proc/self/fd/%d'%f).read())"),
    ("secret by openat2", "h=struct.pack('QQQ',0,0,0); f=L.syscall(437,-100,b'.env',h,24); print(os.read(f,99))"),
    (
        "secret by a folder descriptor",
        "d=os.open('/',os.O_PATH); f=os.open('@HOME@/.netrc'[1:],0,dir_fd=d); print(os.read(f,99))",
    ),
    ("secret by mapping", "import mmap; f=os.open('@HOME@/.ssh/id_ed25519',0); print(mmap.mmap(f,0,prot=1)[:])"),
    ("secret by exec", "os.execv('.env',['x'])"),
    (
        "secret by another's descriptors",
        "[print(open('/proc/@AGENT@/fd/%d'%i).read(99)) for i in range(3,64) if os.path.isfile('/proc/@AGENT@/fd/%d'%i)]",
    ),
    (
        "secret by inotify and walking",
        "[print(open(os.path.join(d,f)).read()) for d,_,fs in os.walk('@HOME@') for f in fs if not os.system('true')]",
    ),
    (
        "many threads",
        "import threading; [threading.Thread(target=lambda: [os.path.exists('x') or open('pwned','w')]).start() for _ in range(8)]",
    ),
    (
        "fork chain",
        "\nfor _ in range(30):\n  if os.fork(): os._exit(0)\n  os.setsid()\nimport time; time.sleep(0.05); open('@WS@/pwned','w')",
    ),
    (
        "detached writer",
        "\nif not os.fork():\n  os.setsid()\n  if not os.fork():\n    os.closerange(0,3)\n    import time\n    for _ in range(30):\n      time.sleep(0.02)\n      try: open('@WS@/victim.txt','a').write('x')\n      except OSError: pass\n  os._exit(0)",
    ),
];

/// Commands that must work, and what their output must contain.
pub const USEFUL: &[(&str, &str)] = &[
    ("ls -la; cat victim.txt | wc -l", "3"),
    ("git status --short; git branch --show-current", "main"),
    ("git log --oneline | cat; git show --stat HEAD | cat", "two"),
    ("git diff HEAD~1 --stat; git blame t.py; git grep -n pear", "victim.txt:1:pear"),
    ("git diff; git diff --quiet && echo clean; git stash list; git ls-files | wc -l", "clean"),
    ("find . -name '*.rs' -not -path './.git/*'", "lib.rs"),
    ("sed -n 2p victim.txt; awk '{print NR\": \"$0}' victim.txt; sort victim.txt", "2: apple"),
    ("grep -rn pear --include=*.txt . 2>/dev/null", "victim.txt"),
    ("python3 -c 'print(6*7)'; python3 t.py", "42"),
    ("node -e 'console.log(6*7)'", "42"),
    ("perl -e 'print 6*7'", "42"),
    ("f=$(mktemp); echo hello > $f; cat $f; rm $f", "hello"),
    ("d=$(mktemp -d); cd $d; echo a > x; mkdir y; mv x y/; cat y/x; cp y/x z; ln z w; rm -r y; ls", "w\nz"),
    ("cat <<'X' | sort\nb\na\nX", "a\nb"),
    ("for f in src/*.rs; do echo == $f; head -1 $f; done", "== src/lib.rs"),
    ("ls no-such-file 2>/dev/null || echo none; echo x > /dev/null && echo yes", "yes"),
    ("diff <(sort victim.txt) <(sort -r victim.txt) | head -2; cat < /dev/null; echo x | tee /dev/stderr", "x"),
    ("printf '%s\\n' a b | while read -r l; do echo \"[$l]\"; done; (sleep 0.01 & wait); echo $((1+1))", "[b]"),
    ("sort -S 1k -T $TMPDIR victim.txt | uniq -c; seq 100000 | sort -rn | head -1", "100000"),
    ("timeout 5 git log -1 --format=%s; nice true; env | grep -c TMPDIR", "two"),
    ("stat -c %s .env; test -f .env && echo there", "there"),
    ("cat ~/.cutonce/plan.md ~/.config/x.toml", "# Plan"),
    ("ps aux | head -3; cat /proc/self/status | head -1; cat /proc/cpuinfo | head -1; df -h . | tail -1", "Name:"),
    (
        "bash -c 'bash -c \"echo nested\"'; xargs -n1 echo < victim.txt; dd if=/dev/zero bs=10 count=1 2>/dev/null | wc -c",
        "nested",
    ),
    ("head -c 4 /dev/urandom | wc -c; date +%Y; uname; hostname; id -u", "4"),
    (
        "python3 -c 'import subprocess; print(subprocess.run([\"echo\",\"sub\"],capture_output=True,text=True).stdout)'",
        "sub",
    ),
    ("python3 -c 'import tempfile; f=tempfile.NamedTemporaryFile(); f.write(b\"x\"); print(\"temp ok\")'", "temp ok"),
    (
        "node -e 'const c=require(\"child_process\").spawnSync(\"echo\",[\"kid\"]); console.log(String(c.stdout))'",
        "kid",
    ),
    ("tar cf - src | tar tf -; gzip -c victim.txt | gunzip | head -1; sha256sum victim.txt | cut -c1-4", "pear"),
];

/// Commands that also change modes in the temp folder; those calls are refused without mounts.
pub const USEFUL_WITH_MODES: &[(&str, &str)] = &[
    (
        "echo 'int main(){return 0;}' > $TMPDIR/a.c && gcc -o $TMPDIR/a $TMPDIR/a.c && $TMPDIR/a && echo compiled",
        "compiled",
    ),
    ("cd $TMPDIR; touch -d 2001-01-01 old; chmod 700 old; stat -c '%a %Y' old", "700 978307200"),
    ("cd $TMPDIR; git init -q r; cd r; echo x > f; sed -i s/x/y/ f; git add f; git ls-files; cat f", "f\ny"),
    ("cd $TMPDIR; cp -a @WS@/src s2; tar cf a.tar s2; tar xf a.tar; ls s2", "lib.rs"),
];

/// Commands for the throwaway layer, which behaves like the project itself.
pub const ON_SCRATCH: &[(&str, &str)] = &[
    ("make -s && ls made", "made"),
    ("echo more >> victim.txt; sed -i s/pear/plum/ victim.txt; git status --short; head -1 victim.txt", "plum"),
    ("cargo check --offline -q 2>&1 && ls Cargo.lock && echo checked", "checked"),
    (
        "python3 -m compileall -q . && ls __pycache__ && python3 -c 'import multiprocessing as m; m.Semaphore(); print(\"shm ok\")'",
        "shm ok",
    ),
    (
        "mkdir -p node_modules/x; mv src source; ls source; rm -rf docs/a*; chmod +x t.py; ls -l t.py | cut -c1-10",
        "-rwx",
    ),
    ("printf 'test:\n\techo testing > log; cat log\n' > Makefile && make -s test", "testing"),
];
