// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "PulseKit",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../lanyard")],
    targets: [
        .target(
            name: "PulseKit",
            dependencies: [.product(name: "Lanyard", package: "lanyard")]
        ),
        .testTarget(
            name: "PulseKitTests",
            dependencies: ["PulseKit", .product(name: "LanyardTesting", package: "lanyard")]
        ),
    ]
)
