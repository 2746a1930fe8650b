<?php
// Notes which functions run while a process of PHP runs; see impact_oracle_php.py.
//
// Loaded before the program (auto_prepend_file), and so in processes that it starts, too. Classes
// are found by the settings of the composer.json of each folder in ORACLE_PACKAGES. pcov notes the
// lines that run, and reflection says which function each of them is in.
namespace ImpactOracle;

/** Returns the settings `autoload` and `autoload-dev` of a folder, as lists of its paths. */
function autoload(string $folder): array
{
    $settings = json_decode(file_get_contents("$folder/composer.json"), true);
    $found = ['psr-4' => [], 'psr-0' => [], 'classmap' => [], 'files' => []];
    foreach (['autoload', 'autoload-dev'] as $section) {
        foreach (array_intersect_key($settings[$section] ?? [], $found) as $kind => $entries) {
            foreach ($entries as $prefix => $paths) {
                foreach ((array) $paths as $path) {
                    $found[$kind][] = [(string) $prefix, rtrim("$folder/$path", '/')];
                }
            }
        }
    }
    return $found;
}

/** Returns the files of PHP below a path, which may be one itself. */
function filesBelow(string $path): iterable
{
    if (!is_dir($path)) {
        return [$path];
    }
    $all = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($path));
    $paths = array_keys(iterator_to_array($all));
    return array_filter($paths, fn ($file) => str_ends_with($file, '.php'));
}

/** Returns the file that may declare a class by the rules PSR-4 and PSR-0, if there is one. */
function fileOf(string $class, array $settings): ?string
{
    foreach ($settings['psr-4'] as [$prefix, $folder]) {
        $rest = str_replace('\\', '/', substr($class, strlen($prefix)));
        if (str_starts_with($class, $prefix) && is_file($file = "$folder/$rest.php")) {
            return $file;
        }
    }
    $end = strrpos("\\$class", '\\');
    $space = str_replace('\\', '/', substr($class, 0, $end));
    $path = $space . str_replace('_', '/', substr($class, $end));
    foreach ($settings['psr-0'] as [$prefix, $folder]) {
        if (str_starts_with($class, $prefix) && is_file($file = "$folder/$path.php")) {
            return $file;
        }
    }
    return null;
}

/** Returns the functions and methods that the source of a program declares. */
function declared(): iterable
{
    foreach (get_defined_functions()['user'] as $name) {
        yield new \ReflectionFunction($name);
    }
    foreach ([...get_declared_classes(), ...get_declared_traits()] as $class) {
        $class = new \ReflectionClass($class);
        if ($class->isUserDefined()) {
            foreach ($class->getMethods() as $method) {
                yield $method;
            }
        }
    }
}

function note(): void
{
    \pcov\stop();
    $ran = \pcov\collect(\pcov\all);
    $root = getenv('ORACLE_ROOT');
    $places = [];
    foreach (declared() as $function) {
        // methods that a class has from the library have no file
        $file = (string) $function->getFileName();
        [$first, $last] = [$function->getStartLine(), $function->getEndLine()];
        // the first line also runs where the function is declared
        $begin = $last > $first ? $first + 1 : $first;
        $lines = array_filter($ran[$file] ?? [], fn ($count) => $count > 0);
        if (array_filter(array_keys($lines), fn ($line) => $begin <= $line && $line <= $last)) {
            $place = [substr($file, strlen($root)), $function->getShortName(), $first];
            $places[implode(':', $place)] = $place;
        }
    }
    $text = json_encode(array_values($places)) . "\n";
    file_put_contents(getenv('ORACLE_OUT'), $text, FILE_APPEND | LOCK_EX);
}

/** Returns the qualified names of the classes that a file declares. */
function classesOf(string $file): array
{
    $text = file_get_contents($file);
    $kinds = '(?:(?:abstract|final|readonly)\s++)*+(?:class|interface|trait|enum)';
    preg_match_all("/^\s*+$kinds\s++(\w++)/m", $text, $names);
    preg_match('/^namespace\s++([\w\\\\]++)/m', $text, $space);
    return array_map(fn ($name) => isset($space[1]) ? "$space[1]\\$name" : $name, $names[1]);
}

$settings = array_map(autoload(...), explode(PATH_SEPARATOR, getenv('ORACLE_PACKAGES')));
$classmap = [];
foreach (array_merge(...array_column($settings, 'classmap')) as [, $path]) {
    foreach (filesBelow($path) as $file) {
        $classmap += array_fill_keys(classesOf($file), $file);
    }
}
spl_autoload_register(function (string $class) use ($settings, $classmap): void {
    $files = array_map(fn ($each) => fileOf($class, $each), $settings);
    $files = array_filter([$classmap[$class] ?? null, ...$files]);
    if ($files) {
        require_once reset($files);
    }
});
foreach (array_merge(...array_column($settings, 'files')) as [, $file]) {
    require_once $file;
}
register_shutdown_function(fn () => register_shutdown_function(note(...)));
\pcov\start();
