"""Names of headers that come with a compiler or a system."""

from __future__ import annotations

# What stands in the folders of a system below these is its own.
_IN = """
    arpa asm asm-generic bits dispatch drm experimental ext gnu libkern linux mach mach-o
    machine malloc misc mtd net netinet netpacket os protocols rdma rpc scsi security sound sys
    system tr1 video xen xlocale
"""

# The C library, POSIX, what Unix systems and Windows add; without the `.h`.
_PLAIN = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
    stdalign stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn
    string tgmath threads time uchar wchar wctype
    aio cpio dirent dlfcn fcntl fmtmsg fnmatch ftw getopt glob grp iconv langinfo libgen monetary
    mqueue ndbm netdb nl_types poll pthread pwd regex sched search semaphore spawn strings stropts
    syslog tar termios trace ulimit unistd utime utmpx wordexp
    alloca ar argp argz byteswap cpuid crypt elf endian envz err error execinfo features fstab
    fts gshadow ieee754 ifaddrs kvm lastlog libintl libutil link malloc memory mntent nlist obstack
    paths printf pty resolv sgtty shadow stab sysexits syscall sysctl termio termcap thread_db
    ttyent ucontext ucred unwind util utmp values varargs wait xlocale
    Availability AvailabilityMacros CommonCrypto TargetConditionals copyfile libproc membership
    emmintrin immintrin intrin mm_malloc mmintrin nmmintrin pmmintrin smmintrin tmmintrin
    wmmintrin x86intrin xmmintrin arm_acle arm_neon arm_sve altivec
    conio crtdbg direct dos io process share tchar
    aclapi accctrl bcrypt combaseapi commctrl commdlg consoleapi d3d11 d3d12 dbghelp dwmapi dxgi
    evntprov fileapi handleapi imm initguid iphlpapi knownfolders lm lmcons memoryapi mmsystem
    mstcpip mswsock namedpipeapi ntdef ntsecapi ntstatus objbase objidl ole2 oleauto pdh
    processthreadsapi propkey psapi rpc sal sddl sdkddkver secext security setupapi shellapi
    shlobj shlwapi shobjidl sspi strsafe synchapi sysinfoapi timeapi tlhelp32 userenv
    uxtheme versionhelpers vfw wchar werapi winbase wincon wincrypt windef windows windowsx
    winerror wininet winioctl winnls winnt winperf winreg winsock winsock2 winsvc winternl
    winuser ws2def ws2tcpip wspiapi wtypes
"""

_FOLDERS = frozenset(_IN.split())
_NAMES = frozenset(_PLAIN.split())


def of_system(specifier: str) -> bool:
    """Whether an `<include>` is of this name with every compiler or system.

    So is a name without an ending, as in the C++ library (`<vector>`).
    """
    folder, slash, _ = specifier.partition("/")
    if slash:
        return folder in _FOLDERS
    stem, dot, _ = specifier.rpartition(".")
    return not dot or stem in _NAMES or specifier.lower() == "windows.h"
