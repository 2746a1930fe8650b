import java.io.File;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.tools.ExecFileLoader;
import org.objectweb.asm.Opcodes;

/**
 * What impact_oracle_java.py needs of JaCoCo; its jars are on the class path.
 *
 * Arguments "instrument FROM INTO" copy a folder of classes with probes in them. Arguments
 * "report FROM DATA..." print the methods that ran, of the classes as they were before: lines of
 * "data file TAB package/source file TAB method TAB first line with code".
 */
public class RanMethods {
    private static final Pattern RUNTIME =
        Pattern.compile("org/jacoco/agent/rt/internal[^/]*/Offline\\.class");

    public static void main(String[] args) throws Exception {
        if (args[0].equals("instrument")) {
            instrument(Path.of(args[1]), Path.of(args[2]));
        } else {
            PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
            for (String data : List.of(args).subList(2, args.length)) {
                report(Path.of(args[1]), Path.of(data), out);
            }
            out.flush();
        }
    }

    private static void instrument(Path from, Path into) throws Exception {
        String runtime = runtime();
        Instrumenter instrumenter = new Instrumenter((id, name, count, method) -> {
            method.visitLdcInsn(id);
            method.visitLdcInsn(name);
            method.visitLdcInsn(count);
            method.visitMethodInsn(
                Opcodes.INVOKESTATIC, runtime, "getProbes", "(JLjava/lang/String;I)[Z", false);
            return 4;
        });
        List<Path> classes;
        try (Stream<Path> files = Files.walk(from)) {
            classes = files.filter(file -> file.toString().endsWith(".class")).toList();
        }
        for (Path file : classes) {
            Path copy = into.resolve(from.relativize(file));
            Files.createDirectories(copy.getParent());
            try (InputStream bytes = Files.newInputStream(file)) {
                Files.write(copy, instrumenter.instrument(bytes, file.toString()));
            }
        }
    }

    /** The class that gives classes their probes; its package has another name in each build. */
    private static String runtime() throws Exception {
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (path.endsWith(".jar")) {
                try (JarFile jar = new JarFile(path)) {
                    for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                        if (RUNTIME.matcher(entry.getName()).matches()) {
                            return entry.getName().replace(".class", "");
                        }
                    }
                }
            }
        }
        throw new IllegalArgumentException("org.jacoco.agent.rt is not among the jars");
    }

    private static void report(Path classes, Path data, PrintStream out) throws Exception {
        ExecFileLoader loader = new ExecFileLoader();
        loader.load(data.toFile());
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(loader.getExecutionDataStore(), builder);
        for (ExecutionData ran : loader.getExecutionDataStore().getContents()) {
            byte[] bytes = Files.readAllBytes(classes.resolve(ran.getName() + ".class"));
            analyzer.analyzeClass(bytes, ran.getName());
        }
        for (IClassCoverage type : builder.getClasses()) {
            String path = type.getPackageName() + "/" + type.getSourceFileName();
            for (IMethodCoverage method : type.getMethods()) {
                if (method.getInstructionCounter().getCoveredCount() > 0) {
                    out.println(String.join("\t", data.toString(), path, method.getName(),
                        String.valueOf(method.getFirstLine())));
                }
            }
        }
    }
}
