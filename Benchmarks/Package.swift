// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A separate package, so that users of the host do not have to fetch the benchmark tool.

/// Settings with which a target can use `package` symbols of Lanyard's modules. The compiler allows
/// these symbols only within one package name, so the target takes Lanyard's name, and must set
/// `packageAccess` to `false`. SwiftPM names a package after its folder.
let asPartOfLanyard: [SwiftSetting] = {
    let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? "lanyard"
    let name = folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    return [.unsafeFlags(["-package-name", String(name)])]
}()

let lanyard: [Target.Dependency] = [
    .product(name: "BluetoothHost", package: "Lanyard"),
    .product(name: "HCITransports", package: "Lanyard"),
    .product(name: "VirtualRadio", package: "Lanyard"),
]

/// Apple's platforms have their own CoreBluetooth.
let coreBluetooth: Target.Dependency = .product(
    name: "CoreBluetooth",
    package: "Lanyard",
    condition: .when(platforms: [.linux])
)

/// The benchmarks use `LanyardTesting` on Linux only, like Lanyard's CoreBluetooth.
let testing: Target.Dependency = .product(
    name: "LanyardTesting",
    package: "Lanyard",
    condition: .when(platforms: [.linux])
)

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Lanyard", path: ".."),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(
            name: "Scenarios",
            dependencies: lanyard + [coreBluetooth],
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
        .executableTarget(
            name: "RigCentral",
            dependencies: lanyard + [coreBluetooth],
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
        .executableTarget(name: "RigPeripheral", dependencies: lanyard),
        .executableTarget(name: "Endurance", dependencies: ["Scenarios"]),
        .executableTarget(name: "RadioTables", dependencies: ["Scenarios"]),
        .executableTarget(name: "FacadeTable", dependencies: ["Scenarios"]),
        .executableTarget(
            name: "MessageTable",
            dependencies: [.product(name: "Lanyard", package: "Lanyard"), coreBluetooth, testing],
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
        .executableTarget(
            name: "SecurityTable",
            dependencies: lanyard,
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
        .executableTarget(
            name: "VirtualDay",
            dependencies: lanyard + [
                coreBluetooth,
                .product(name: "Lanyard", package: "Lanyard"),
                .product(
                    name: "LanyardTesting",
                    package: "Lanyard",
                    condition: .when(platforms: [.linux])
                ),
            ],
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
        .executableTarget(
            name: "SealingTable",
            dependencies: [
                .product(name: "Lanyard", package: "Lanyard"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "HostBenchmarks",
            dependencies: ["Scenarios", .product(name: "Benchmark", package: "benchmark")],
            path: "Benchmarks/HostBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
