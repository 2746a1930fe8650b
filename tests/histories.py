"""Histories of random steps: commits, renames, merges, rebases, amended and reverted commits."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.builder import RepoBuilder

TOPICS = ("retry", "billing", "parser", "cache", "login", "metrics", "queue", "schema")
VERBS = ("Add", "Fix", "Rename", "Speed up", "Simplify", "Document", "Split", "Remove")
REASONS = (
    "the pause of a failed request",
    "totals of an order",
    "empty lines",
    "the session of a user",
    "what a worker waits for",
    "numbers that are too large",
)


class RandomHistory:
    """Random steps in a repository, the same for the same seed."""

    def __init__(self, repo: RepoBuilder, seed: int) -> None:
        self._repo = repo
        self._dice = random.Random(seed)
        self._branches = ["main"]
        self._number = 0
        repo.having({f"{topic}/{topic}.py": self._function(topic) for topic in TOPICS})

    def steps(self, count: int) -> Iterator[int]:
        """Make so many commits or more, and yield the number after each step."""
        made = 0
        while made < count:
            step = self._dice.choices(
                (self._edit, self._rename, self._delete, self._branch, self._merge, self._rebase),
                (70, 6, 4, 8, 7, 5),
            )[0]
            made += step()
            yield made

    # ------------------------------------------------------------ steps

    def _edit(self) -> int:
        for path in self._dice.sample(self._paths(), self._dice.randint(1, 3)):
            if self._dice.random() < 0.5:
                self._repo.append(path, "\n\n" + self._function(path.split("/")[0]))
            else:
                lines = self._repo.file(path).read_text(encoding="utf-8").split("\n")
                start = self._dice.randrange(len(lines))
                lines[start : start + self._dice.randint(0, 6)] = [self._line()]
                self._repo.write(path, "\n".join(lines))
        return self._commit()

    def _rename(self) -> int:
        path = self._dice.choice(self._paths())
        self._number += 1
        self._repo.rename(path, f"{self._dice.choice(TOPICS)}/moved_{self._number}.py")
        return self._commit()

    def _delete(self) -> int:
        paths = self._paths()
        if len(paths) > len(TOPICS):
            self._repo.remove(self._dice.choice(paths))
        topic = self._dice.choice(TOPICS)
        self._number += 1
        self._repo.write(f"{topic}/new_{self._number}.py", self._function(topic))
        return self._commit()

    def _branch(self) -> int:
        if len(self._branches) < 4:
            self._number += 1
            self._branches.append(f"topic-{self._number}")
            self._repo.branch(self._branches[-1])
        else:
            self._repo.checkout(self._dice.choice(self._branches))
        return 0

    def _merge(self) -> int:
        """Merge a branch into main; where both sides differ, what the branch has is taken."""
        if len(self._branches) == 1:
            return 0
        branch = self._branches.pop(self._dice.randrange(1, len(self._branches)))
        self._repo.checkout("main")
        done = self._repo.run("merge", "-q", "--no-ff", "-X", "theirs", branch, check=False)
        if done.returncode:
            self._repo.git("reset", "-q", "--hard")
        self._repo.tick()
        self._repo.git("branch", "-q", "-D", branch)
        return int(not done.returncode)

    def _rebase(self) -> int:
        """Write the commits of a branch anew onto main, or the last one of main."""
        branch = self._dice.choice(self._branches)
        self._repo.checkout(branch)
        if branch == "main":
            self._repo.append("README", self._line() + "\n")
            self._repo.git("add", "-A")
            self._repo.git("commit", "-q", "--amend", "-m", self._message())
        elif self._repo.run("rebase", "-q", "-X", "theirs", "main", check=False).returncode:
            self._repo.git("rebase", "--abort")
            self._repo.git("reset", "-q", "--hard")
        self._repo.tick()
        return 1

    # ------------------------------------------------------------ words

    def _commit(self) -> int:
        self._repo.commit(self._message())
        return 1

    def _paths(self) -> list[str]:
        return [path for path in self._repo.git("ls-files").split("\n") if path.endswith(".py")]

    def _message(self) -> str:
        self._number += 1
        subject = f"{self._dice.choice(VERBS)} {self._dice.choice(TOPICS)} (#{self._number})"
        body = f"It was about {self._dice.choice(REASONS)}."
        return f"{subject}\n\n{body}" if self._dice.random() < 0.5 else subject

    def _function(self, topic: str) -> str:
        self._number += 1
        lines = "\n".join(f"    {self._line()}" for _ in range(self._dice.randint(2, 6)))
        return f"def {topic}_{self._dice.choice(TOPICS)}_{self._number}(order):\n{lines}\n"

    def _line(self) -> str:
        self._number += 1
        words = "_".join(self._dice.sample(TOPICS, 2))
        return f"{words} = {self._number}  # {self._dice.choice(REASONS)}"
