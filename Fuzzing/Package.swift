// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package of its own: libFuzzer has a `main` of its own, too. See README.md for how to run it.

let lanyard: [Target.Dependency] = [.product(name: "Lanyard", package: "Lanyard")]

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Lanyard", path: "..")],
    targets: [
        .executableTarget(name: "FuzzFraming", dependencies: lanyard),
        .executableTarget(name: "FuzzSealing", dependencies: lanyard),
        .executableTarget(name: "FuzzValues", dependencies: lanyard),
    ],
    swiftLanguageModes: [.v6]
)
