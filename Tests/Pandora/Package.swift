// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A separate package, so that users of the host do not have to fetch gRPC. Scripts/test-conformance
// builds it.
let package = Package(
    name: "Pandora",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Lanyard", path: "../.."),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "PandoraInterface",
            dependencies: [
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["pandora/host.proto", "pandora/security.proto"]
        ),
        .executableTarget(
            name: "PandoraServer",
            dependencies: [
                "PandoraInterface",
                .product(name: "BluetoothHost", package: "Lanyard"),
                .product(name: "HCITransports", package: "Lanyard"),
                .product(name: "GRPCNIOTransportHTTP2", package: "grpc-swift-nio-transport"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
