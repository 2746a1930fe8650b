"""C, C++ and Objective-C: the targets of #include and of module imports.

A quoted include is searched in its file's own folder first. Otherwise the include path that the
build passes to the compiler decides, which is inferred from the includes themselves.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import (
    MAX_CANDIDATES,
    TOO_MANY,
    Candidate,
    PathSuffixes,
    has_suffix,
    nearest_candidates,
    needs_below,
)
from gitsearch.graph.resolvers.settings_files import texts_named
from gitsearch.graph.resolvers.tables import grouped, imports_of_kind, memoized
from gitsearch.graph.tree_paths import folder_of, joined, normalized

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

# Templates of headers: from `config.h.in` the build generates a `config.h` that is in no tree.
_TEMPLATE = re.compile(
    r"(.+\.(?:h|hh|hpp|hxx|inc|def|c|cc|cpp))[._-]?"
    r"(?:in|cmake|cmake\.in|in\.cmake|cmakein|meson|meson\.in|tmpl|template|tpl|gn|gyp)"
)
_GENERATED = -1  # the file number of a generated header
# Build settings that name the headers which the build generates.
_SETTINGS = frozenset({"CMakeLists.txt", "configure.ac", "configure.in", "meson.build"})
_AUTOCONF = re.compile(r"\b(?:AC_CONFIG_HEADERS?|AM_CONFIG_HEADER)\(([^()]{1,2000})")
_CONFIGURE_FILE = re.compile(r"\bconfigure_file\s*\(([^()]{1,2000})")
_HEADER_PATH = re.compile(
    r"""(?:(?<=[\s\["'}])|^)/?((?:[\w-]+/)*[\w-]+\.(?:h|hh|hpp|hxx|inc))(?=[\s\]"',:]|$)"""
)
# Names of folders that are conventionally on the include path.
_CONVENTIONAL = frozenset({"include", "inc", "includes", "headers", "src", "lib", "public", ""})
# Folders of system headers.
_FOLDERS = """
    arpa asm asm-generic bits dispatch drm experimental ext gnu libkern linux mach mach-o
    machine malloc misc mtd net netinet netpacket os protocols rdma rpc scsi security sound sys
    system tr1 video xen xlocale
"""
# The C library, POSIX, additions of Unix systems and Windows; without the `.h`.
_NAMES = """
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

_SYSTEM_FOLDERS = frozenset(_FOLDERS.split())
_SYSTEM_NAMES = frozenset(_NAMES.split())


class C(Resolver):
    """Resolves the includes and modules of C, C++ and Objective-C."""

    languages = frozenset({"c", "cpp", "objc"})
    settings = _SETTINGS

    @cached_property
    def _include_paths(self) -> _IncludePaths:
        return _IncludePaths(self.project, self.languages)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the header of an include, or the files that declare an imported module."""
        if imported.kind == "include":
            folder = folder_of(self.project.paths[file])
            framework = self.project.languages[file] == "objc"
            return self._include(folder, imported.specifier, framework)
        if imported.kind == "dynamic":
            return Resolution(unresolved="computed-include")
        if imported.kind in ("import", "partition"):
            return self._module(file, imported)
        return EXTERNAL

    def depends_on(self) -> Iterator[str]:
        """Yield all paths of the tree, the inferred include paths, and the declared modules."""
        yield from self.project.paths
        for folder, roots in sorted(self._include_paths.needs.items()):
            yield "\n".join([folder, *sorted(roots)])
        yield "\n".join(sorted(self._include_paths.shared_roots))
        yield "\n".join(sorted(self._include_paths.generated))
        for module, files in sorted(self._modules.items()):
            yield f"{module}\n{files}"

    @memoized
    def _include(self, folder: str, specifier: str, framework: bool) -> Resolution:  # noqa: FBT001
        include = _parse_include(specifier)
        if include is None:
            return EXTERNAL
        include_paths = self._include_paths
        sibling = include_paths.at(folder, include.path) if include.quoted else None
        if sibling is not None:
            return _resolution([sibling])
        if len(include_paths.candidates(include.path)) > MAX_CANDIDATES:
            return TOO_MANY
        candidates = self._candidates(folder, include)
        if not candidates and framework:
            return self._framework(include.path)
        nearest = nearest_candidates(folder, candidates, include_paths.needed_below)
        return _resolution([candidate.number for candidate in nearest])

    def _candidates(self, folder: str, include: _Include) -> Sequence[Candidate]:
        """Return the files that an include may mean: in angle brackets, those on include paths."""
        include_paths = self._include_paths
        needed = include_paths.needs.get(folder, ())
        if include.path.startswith("../"):
            numbers = ((root, include_paths.at(root, include.path)) for root in sorted(needed))
            return [Candidate(root, number) for root, number in numbers if number is not None]
        candidates = include_paths.candidates(include.path)
        if include.quoted:
            return candidates
        is_project_header = not _is_system_header(include.path)
        return [
            candidate
            for candidate in candidates
            if candidate.root in needed
            or (is_project_header and include_paths.is_include_folder(candidate.root))
        ]

    @memoized
    def _framework(self, path: str) -> Resolution:
        """Resolve `<Framework/Header.h>`: the folders of its sources are not in the name."""
        framework, _, name = path.partition("/")
        if not name or "/" in name:
            return EXTERNAL
        paths = self.project.paths
        files = self.project.by_name.get(name, ())
        return _resolution([file for file in files if framework in paths[file].split("/")[:-1]])

    def _module(self, file: int, imported: Import) -> Resolution:
        """Resolve a module of C++20, or a partition of the module that the file belongs to."""
        names = [imported.specifier]
        if imported.kind == "partition":
            modules = dict.fromkeys(
                declaration.specifier.partition(":")[0]
                for declaration in self.project.facts(file).imports
                if declaration.kind in ("package", "import")
            )
            names = [f"{module}:{imported.specifier}" for module in modules]
        files = (other for module in names for other in self._modules.get(module, ()))
        return _resolution([other for other in files if other != file])

    @cached_property
    def _modules(self) -> dict[str, list[int]]:
        """The files that declare each module or partition."""
        declarations = imports_of_kind(self.project, frozenset({"cpp"}), "package")
        return grouped((imported.specifier, file) for file, imported in declarations)


class _Include(NamedTuple):
    """The path of an include directive; `quoted` if it is in quotes, not in angle brackets."""

    path: str
    quoted: bool


@lru_cache(1 << 14)
def _parse_include(specifier: str) -> _Include | None:
    """Parse the operand of an include; return None for a path that no repository holds."""
    angled = specifier.startswith("<")
    # The operand may be followed by text of the same line, such as a comment.
    end = specifier.find(">" if angled else '"', 1)
    path = (specifier if end < 0 else specifier[:end]).strip('<"')
    path = posixpath.normpath(path.strip().replace("\\", "/"))
    if path.startswith("/") or path.endswith("..") or path == "." or ":" in path[:2]:
        return None
    return _Include(path, not angled)


class _IncludePaths:
    """The folders that the files of each folder include from."""

    def __init__(self, project: Project, languages: frozenset[str]) -> None:
        self._project = project
        self._suffixes = PathSuffixes(project)
        # The folders that files of a folder need: some include can only be resolved from there.
        self.needs: dict[str, set[str]] = {}
        # Folders that are the only candidate for two or more includes in angle brackets.
        self.shared_roots: set[str] = set()
        self._infer(languages)

    @cached_property
    def generated(self) -> set[str]:
        """Paths of headers that the build generates from a file of the tree."""
        templates = (_TEMPLATE.fullmatch(path) for path in self._project.paths)
        headers = {template[1] for template in templates if template}
        for name in _SETTINGS:
            for folder, text in texts_named(self._project, name):
                calls = "\n".join([*_AUTOCONF.findall(text), *_CONFIGURE_FILE.findall(text)])
                headers.update(joined(folder, path) for path in _HEADER_PATH.findall(calls))
        return headers - self._project.number.keys()

    @cached_property
    def _generated_by_name(self) -> dict[str, list[str]]:
        return grouped((path.rpartition("/")[2], path) for path in sorted(self.generated))

    @cached_property
    def needed_below(self) -> dict[str, set[str]]:
        """The folders that files anywhere below a folder need."""
        return needs_below(self.needs)

    def is_include_folder(self, root: str) -> bool:
        """Return True if any file may include from this folder with angle brackets."""
        return root in self.shared_roots or root.rpartition("/")[2] in _CONVENTIONAL

    def at(self, folder: str, path: str) -> int | None:
        """Return the file at a path relative to a folder: its number, _GENERATED, or None."""
        target = normalized(folder, path) if path.startswith("../") else joined(folder, path)
        number = self._project.number.get(target)
        if number is None and target in self.generated:
            return _GENERATED
        return number

    @memoized
    def candidates(self, path: str) -> list[Candidate]:
        """Return every file that an include of a path may mean, from any search folder."""
        generated = self._generated_by_name.get(path.rpartition("/")[2], ())
        return self._suffixes.ending(path) + [
            Candidate(other[: -len(path) - 1], _GENERATED)
            for other in generated
            if has_suffix(other, path)
        ]

    def _infer(self, languages: frozenset[str]) -> None:
        # An include that only one file can match proves that the search folder of that file is on
        # the include path of the including folder.
        imports = imports_of_kind(self._project, languages, "include")
        paths = self._project.paths
        specifiers = {(folder_of(paths[file]), imported.specifier) for file, imported in imports}
        angled: dict[str, set[str]] = {}  # including folders by specifier
        for folder, specifier in specifiers:
            include = _parse_include(specifier)
            if include is None:
                continue
            if include.quoted:
                matches = self.candidates(include.path)
                if len(matches) == 1 and self.at(folder, include.path) is None:
                    self.needs.setdefault(folder, set()).add(matches[0].root)
            elif not _is_system_header(include.path):
                angled.setdefault(include.path, set()).add(folder)
        candidates = {path: self.candidates(path) for path in angled}
        unique = {path: files[0].root for path, files in candidates.items() if len(files) == 1}
        self.shared_roots = {root for root, times in Counter(unique.values()).items() if times > 1}
        for path, root in unique.items():
            if self.is_include_folder(root):
                for folder in angled[path]:
                    self.needs.setdefault(folder, set()).add(root)


def _is_system_header(specifier: str) -> bool:
    """Return True if an `<include>` of this path means a header of the compiler or the system.

    A name without an extension is one too, as in the C++ library (`<vector>`).
    """
    folder, slash, _ = specifier.partition("/")
    if slash:
        return folder in _SYSTEM_FOLDERS
    stem, dot, _ = specifier.rpartition(".")
    return not dot or stem in _SYSTEM_NAMES or specifier.lower() == "windows.h"


def _resolution(numbers: Sequence[int]) -> Resolution:
    """Like `one_of`, but a header that the build generates is in no tree, so it is left out."""
    files = tuple(number for number in numbers if number != _GENERATED)
    return Resolution(files) if len(numbers) == 1 else Resolution(ambiguous=files)
