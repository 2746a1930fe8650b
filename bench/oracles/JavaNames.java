import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Which classes of some source files name which others, by the attribution of javac.
 *
 * Arguments: a file with the paths of the sources, one a line, and a class path. Prints lines of
 * "how TAB file TAB other file": import (a class that is imported, used or not, one that a wildcard
 * import brought and the file names, or one with a whole name), name (any other named class) and
 * member (the class that declares a member which is used without naming that class); "file TAB
 * path" for each file that was attributed. Classes that are missing do no harm.
 */
public class JavaNames {
    private final Map<TypeElement, String> files = new HashMap<>();
    private final Set<String> edges = new TreeSet<>();

    public static void main(String[] args) throws Exception {
        new JavaNames().run(Files.readAllLines(Path.of(args[0])), args[1]);
    }

    private void run(List<String> paths, String classPath) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(d -> { }, null, null);
        List<String> options = List.of(
            "-proc:none", "-implicit:none", "-cp", classPath, "-Xmaxerrs", "1000000",
            "--should-stop=ifError=FLOW");
        Iterable<? extends JavaFileObject> sources =
            manager.getJavaFileObjectsFromStrings(paths);
        JavacTask task =
            (JavacTask) compiler.getTask(null, manager, d -> { }, options, null, sources);
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Trees trees = Trees.instance(task);
        Elements elements = task.getElements();
        for (CompilationUnitTree unit : units) {
            for (Tree declared : unit.getTypeDecls()) {
                if (declared instanceof ClassTree
                        && trees.getElement(trees.getPath(unit, declared)) instanceof TypeElement type) {
                    files.putIfAbsent(type, unit.getSourceFile().getName());
                }
            }
        }
        for (CompilationUnitTree unit : units) {
            System.out.println("file\t" + unit.getSourceFile().getName());
            new Walk(trees, elements, unit).walk();
        }
        edges.forEach(System.out::println);
    }

    private final class Walk extends TreePathScanner<Void, Void> {
        private final Trees trees;
        private final Elements elements;
        private final CompilationUnitTree unit;
        private final Set<String> explicit = new HashSet<>();
        private final Set<String> wild = new HashSet<>();

        Walk(Trees trees, Elements elements, CompilationUnitTree unit) {
            this.trees = trees;
            this.elements = elements;
            this.unit = unit;
        }

        void walk() {
            for (ImportTree one : unit.getImports()) {
                imported(one.getQualifiedIdentifier().toString());
            }
            scan(unit, null);
        }

        private void imported(String name) {
            boolean all = name.endsWith(".*");
            if (all) {
                name = name.substring(0, name.length() - 2);
                wild.add(name);
            }
            explicit.add(all ? "" : name);
            while (true) {
                TypeElement type = elements.getTypeElement(name);
                if (type != null) {
                    edge("import", type);
                    return;
                }
                int dot = name.lastIndexOf('.');
                if (dot < 0 || elements.getPackageElement(name) != null) {
                    return;
                }
                name = name.substring(0, dot);
            }
        }

        @Override
        public Void visitImport(ImportTree node, Void nothing) {
            return null;
        }

        /** Whether a node stands in the text: javac writes out the types of a lambda's parameters. */
        private boolean written(Tree node) {
            return trees.getSourcePositions().getEndPosition(unit, node) >= 0;
        }

        @Override
        public Void visitIdentifier(IdentifierTree node, Void nothing) {
            if (!written(node)) {
                return null;
            }
            Element found = trees.getElement(getCurrentPath());
            if (found instanceof TypeElement type) {
                edge(byWildcard(type) ? "import" : "name", type);
            } else {
                member(found);
            }
            return super.visitIdentifier(node, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree node, Void nothing) {
            if (!written(node)) {
                return null;
            }
            Element found = trees.getElement(getCurrentPath());
            if (found instanceof TypeElement type) {
                edge(type.getNestingKind().isNested() ? "name" : "import", type);
            } else {
                member(found);
            }
            return super.visitMemberSelect(node, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree node, Void nothing) {
            member(trees.getElement(getCurrentPath()));
            return super.visitMemberReference(node, nothing);
        }

        private boolean byWildcard(TypeElement type) {
            if (type.getEnclosingElement().getKind() != ElementKind.PACKAGE) {
                return false;
            }
            String home = ((PackageElement) type.getEnclosingElement()).getQualifiedName().toString();
            return wild.contains(home) && !explicit.contains(type.getQualifiedName().toString());
        }

        private void member(Element found) {
            if (found != null && (found.getKind().isField()
                    || found.getKind() == ElementKind.METHOD)) {
                if (found.getEnclosingElement() instanceof TypeElement type) {
                    edge("member", type);
                }
            }
        }

        private void edge(String how, TypeElement type) {
            Element top = type;
            while (top.getEnclosingElement() != null
                    && top.getEnclosingElement().getKind() != ElementKind.PACKAGE) {
                top = top.getEnclosingElement();
            }
            String file = files.get(top);
            String here = unit.getSourceFile().getName();
            if (file != null && !file.equals(here)) {
                edges.add(how + "\t" + here + "\t" + file);
            }
        }
    }
}
