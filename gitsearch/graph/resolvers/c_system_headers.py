"""Names of headers that come with a compiler or an operating system."""

from __future__ import annotations

# Folders of system headers.
_SYSTEM_FOLDERS = """
    arpa asm asm-generic bits dispatch drm experimental ext gnu libkern linux mach mach-o
    machine malloc misc mtd net netinet netpacket os protocols rdma rpc scsi security sound sys
    system tr1 video xen xlocale
"""

# The C library, POSIX, additions of Unix systems and Windows; without the `.h`.
_SYSTEM_NAMES = """
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

_FOLDERS = frozenset(_SYSTEM_FOLDERS.split())
_NAMES = frozenset(_SYSTEM_NAMES.split())


def is_system_header(specifier: str) -> bool:
    """Return True if an `<include>` of this path means a header of the compiler or the system.

    A name without an extension is one too, as in the C++ library (`<vector>`).
    """
    folder, slash, _ = specifier.partition("/")
    if slash:
        return folder in _FOLDERS
    stem, dot, _ = specifier.rpartition(".")
    return not dot or stem in _NAMES or specifier.lower() == "windows.h"
