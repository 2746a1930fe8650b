"""Shards in the process of a test: as they are, restarted in the middle, and lost."""

import pickle

from gitsearch.commands.repositories import names_of
from gitsearch.commands.shard_answers import ShardAnswers
from gitsearch.commands.shards import Stale


class InProcess:
    """Shards in this process; what they are asked and answer is sent as bytes."""

    def __init__(self, folder, count):
        folders = sorted(path for path in folder.iterdir())
        names = names_of(folders)
        self.names = [
            {str(path): names[path] for path in folders[number::count]} for number in range(count)
        ]
        self.restart()
        self.calls = 0

    def restart(self):
        self._shards = [ShardAnswers(names) for names in self.names]

    def __len__(self):
        return len(self._shards)

    def call(self, calls):
        self.calls += 1
        return [self._answer(*pickle.loads(pickle.dumps(call))) for call in calls]

    def _answer(self, shard, method, arguments):
        answer = getattr(self._shards[shard], method)(*arguments)
        return pickle.loads(pickle.dumps(answer))


class Restarting:
    """Shards that all start anew before one of the rounds."""

    def __init__(self, shards, before):
        self._shards = shards
        self._before = before

    def __len__(self):
        return len(self._shards)

    def call(self, calls):
        if self._shards.calls == self._before:
            self._shards.restart()
        return self._shards.call(calls)


class Failing:
    """Shards of which one does not answer."""

    def __init__(self, shards, lost, when):
        self._shards = shards
        self._lost = lost
        self._when = when

    def __len__(self):
        return len(self._shards)

    def call(self, calls):
        answers = self._shards.call(calls)
        if self._shards.calls >= self._when:
            answers = [
                Stale("its worker is lost") if call[0] == self._lost else answer
                for call, answer in zip(calls, answers, strict=True)
            ]
        return answers
