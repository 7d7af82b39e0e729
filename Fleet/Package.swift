// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A separate package, so that a build of Lanyard does not contain TLS and its dependencies.

/// Settings with which a target can use `package` symbols of Lanyard's modules. The compiler allows
/// these symbols only within one package name, so the target takes Lanyard's name, and must set
/// `packageAccess` to `false`. SwiftPM names a package after its folder.
let asPartOfLanyard: [SwiftSetting] = {
    let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? "lanyard"
    let name = folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    return [.unsafeFlags(["-package-name", String(name)])]
}()

let package = Package(
    name: "Fleet",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "lanyard-gateway", targets: ["LanyardGateway"]),
        .executable(name: "lanyard-fleet", targets: ["LanyardFleet"]),
    ],
    dependencies: [
        .package(name: "Lanyard", path: ".."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.86.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.34.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "LanyardGateway",
            dependencies: [
                .product(name: "HCITransports", package: "Lanyard"),
                .product(name: "GatewayProtocol", package: "Lanyard"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
        .systemLibrary(
            name: "CMosquitto",
            pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"]), .brew(["mosquitto"])]
        ),
        .executableTarget(
            name: "LanyardFleet",
            dependencies: [
                "CMosquitto",
                .product(name: "Lanyard", package: "Lanyard"),
                .product(name: "CoreBluetooth", package: "Lanyard"),
                .product(name: "HCITransports", package: "Lanyard"),
                .product(name: "JSONText", package: "Lanyard"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
        .testTarget(
            name: "LanyardGatewayTests",
            dependencies: ["LanyardGateway"],
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
        .testTarget(
            name: "LanyardFleetTests",
            dependencies: [
                "LanyardFleet",
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            packageAccess: false,
            swiftSettings: asPartOfLanyard
        ),
    ],
    swiftLanguageModes: [.v6]
)
