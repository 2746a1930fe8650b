from tests.unit.graph.projects import edges

MANIFEST = """
    // swift-tools-version:5.8
    import PackageDescription
    let package = Package(
        name: "P",
        dependencies: [.package(path: "Local"), .package(url: "https://x//y", from: "1.0.0")],
        targets: [
            .target(name: "Core", dependencies: [.product(name: "Z", package: "z")]),
            .target(
                name: "Placed",
                dependencies: ["Core"],
                path: "elsewhere",
                exclude: ["skipped", "one.swift"]),
            // .target(name: "Gone", path: "gone"),
            .testTarget(name: "CoreTests", dependencies: ["Core"]),
        ]
    )
"""

FILES = {
    "Package.swift": MANIFEST,
    "Sources/Core/a.swift": "struct A { func f() -> B { B() } }\n",
    "Sources/Core/deep/b.swift": "struct B {}\n",
    "elsewhere/c.swift": "struct B {}\n",
    "elsewhere/skipped/d.swift": "",
    "elsewhere/one.swift": "",
    "gone/g.swift": "",
    "Tests/CoreTests/t.swift": "@testable import Core\nimport Foundation\nimport Gone\n",
    "Local/Package.swift": 'let p = Package(name: "L", targets: [.target(name: "L", path: "")])',
    "Local/l.swift": "",
    "Far/Package.swift": 'let p = Package(name: "F", targets: [.target(name: "F", path: ".")])',
    "Far/f.swift": "",
}


def test_an_import_leads_to_all_files_of_the_target() -> None:
    assert edges(FILES, "Tests/CoreTests/t.swift") == dict.fromkeys(
        ("Sources/Core/a.swift", "Sources/Core/deep/b.swift"), "resolved"
    )


def test_a_target_may_say_where_it_is() -> None:
    files = {**FILES, "Sources/Core/a.swift": "import struct Placed.B\n"}
    assert edges(files, "Sources/Core/a.swift") == {"elsewhere/c.swift": "resolved"}


def test_other_packages_are_certain_where_the_manifest_names_their_folder() -> None:
    files = {**FILES, "Sources/Core/a.swift": "import L\nimport F\n"}
    found = edges(files, "Sources/Core/a.swift")
    assert found["Local/l.swift"] == "resolved"
    assert found["Far/f.swift"] == "ambiguous"


def test_files_of_a_module_use_each_other_by_name() -> None:
    assert edges(FILES, "Sources/Core/a.swift") == {"Sources/Core/deep/b.swift": "used"}


def test_without_a_package_modules_are_folders_of_their_name() -> None:
    files = {
        "App/main.swift": "let x = Thing()\n",
        "App/views/thing.swift": "class Thing {}\n",
        "AppTests/t.swift": "@testable import App\nclass Thing {}\n",
    }
    assert edges(files, "App/main.swift") == {"App/views/thing.swift": "used"}
    assert edges(files, "AppTests/t.swift") == {
        "App/main.swift": "ambiguous",
        "App/views/thing.swift": "ambiguous",
    }


def test_a_broken_manifest_leads_nowhere() -> None:
    files = {
        "Package.swift": '.target(name: "M", path: "../../x") .target(name: "N" ((((',
        "a.swift": "import M\nimport N\n",
    }
    assert edges(files, "a.swift") == {}
