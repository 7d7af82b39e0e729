// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "Gateway",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../lanyard")],
    targets: [
        .executableTarget(
            name: "Gateway",
            dependencies: [.product(name: "Lanyard", package: "lanyard")]
        )
    ]
)
