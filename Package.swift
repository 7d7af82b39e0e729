// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// One target per room. An arrow between rooms is a dependency here, so the compiler refuses a
// wrong one; `Scripts/check-imports` checks the rules the compiler cannot see.
let package = Package(
    name: "Lanyard",
    // Not tvOS and watchOS: an application cannot be a peripheral there.
    platforms: [.macOS(.v15), .iOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "BluetoothHost", targets: ["BluetoothHost"]),
        .library(name: "HCITransports", targets: ["HCITransports"]),
        // All that a test needs to put hosts on a virtual air, in one.
        .library(
            name: "VirtualRadio",
            targets: ["VirtualRadio", "VirtualAccessories", "VirtualAdapters"]
        ),
        .library(name: "Lanyard", targets: ["Lanyard"]),
        .executable(name: "lanyard", targets: ["LanyardCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(name: "BluetoothTypes"),
        .target(name: "BluetoothHCI", dependencies: ["BluetoothTypes"]),
        .target(name: "BluetoothL2CAP", dependencies: ["BluetoothTypes", "BluetoothHCI"]),
        .target(name: "BluetoothATT", dependencies: ["BluetoothTypes", "BluetoothL2CAP"]),
        .target(
            name: "BluetoothCrypto",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "BluetoothGATT",
            dependencies: ["BluetoothTypes", "BluetoothCrypto", "BluetoothATT"]
        ),
        .target(
            name: "BluetoothSMP",
            dependencies: ["BluetoothTypes", "BluetoothCrypto", "BluetoothHCI"]
        ),
        .target(
            name: "BluetoothGAP",
            dependencies: ["BluetoothTypes", "BluetoothCrypto", "BluetoothHCI"]
        ),
        // What Linux has and the C library's headers do not declare.
        .target(name: "LinuxInterfaces"),
        .target(
            name: "HCITransports",
            dependencies: ["BluetoothTypes", "BluetoothHCI", "LinuxInterfaces"]
        ),
        .target(
            name: "VirtualRadio",
            dependencies: [
                "BluetoothTypes", "BluetoothCrypto", "BluetoothHCI",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "VirtualAccessories",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT",
                "BluetoothGATT", "BluetoothSMP", "BluetoothGAP", "VirtualRadio",
            ]
        ),
        .target(name: "JSONReading"),
        .target(
            name: "VirtualAdapters",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "HCITransports", "VirtualRadio",
                "VirtualAccessories", "JSONReading",
            ]
        ),
        .target(
            name: "BluetoothHost",
            dependencies: [
                "BluetoothTypes", "BluetoothCrypto", "BluetoothHCI", "BluetoothL2CAP",
                "BluetoothATT", "BluetoothGATT", "BluetoothSMP", "BluetoothGAP", "HCITransports",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "Lanyard",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(
            name: "LanyardCLI",
            dependencies: [
                "Lanyard",
                "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT",
                "BluetoothGATT", "BluetoothSMP", "BluetoothGAP", "HCITransports", "BluetoothHost",
                "VirtualRadio", "VirtualAccessories", "VirtualAdapters", "JSONReading",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // What the tests of several rooms need; in no product.
        .target(name: "LanyardTestSupport", path: "Tests/Support"),
        .target(
            name: "ServerTestSupport",
            dependencies: ["BluetoothTypes", "BluetoothATT", "BluetoothGATT"],
            path: "Tests/ServerSupport"
        ),
        .target(
            name: "StoreTestSupport",
            dependencies: ["BluetoothTypes", "BluetoothHCI", "BluetoothSMP", "HCITransports"],
            path: "Tests/StoreSupport"
        ),
        .target(
            name: "PairingTestSupport",
            dependencies: ["BluetoothHost"],
            path: "Tests/PairingSupport"
        ),
        // Processes that tests start, and the JSON that they speak.
        .target(name: "ProcessTestSupport", path: "Tests/ProcessSupport"),
        // A process that tests kill; in no product.
        .executableTarget(
            name: "StoreWriter",
            dependencies: [
                "BluetoothTypes", "BluetoothSMP", "HCITransports", "BluetoothHost",
                "StoreTestSupport",
            ],
            path: "Tests/StoreWriter"
        ),
        .testTarget(name: "BluetoothTypesTests", dependencies: ["BluetoothTypes"]),
        .testTarget(
            name: "BluetoothCryptoTests",
            dependencies: ["BluetoothTypes", "BluetoothCrypto", "LanyardTestSupport"]
        ),
        .testTarget(
            name: "BluetoothHCITests",
            dependencies: ["BluetoothTypes", "BluetoothHCI", "LanyardTestSupport"]
        ),
        .testTarget(
            name: "BluetoothL2CAPTests",
            dependencies: ["BluetoothL2CAP", "LanyardTestSupport"]
        ),
        .testTarget(
            name: "BluetoothATTTests",
            dependencies: ["BluetoothATT", "LanyardTestSupport"]
        ),
        .testTarget(
            name: "BluetoothGATTTests",
            dependencies: [
                "BluetoothTypes", "BluetoothATT", "BluetoothGATT", "LanyardTestSupport",
                "ServerTestSupport",
            ]
        ),
        .testTarget(
            name: "BluetoothSMPTests",
            dependencies: [
                "BluetoothTypes", "BluetoothCrypto", "BluetoothHCI", "BluetoothSMP",
                "LanyardTestSupport",
            ]
        ),
        .testTarget(
            name: "BluetoothGAPTests",
            dependencies: ["BluetoothGAP", "LanyardTestSupport"]
        ),
        .testTarget(
            name: "HCITransportsTests",
            dependencies: ["BluetoothTypes", "BluetoothHCI", "HCITransports", "StoreTestSupport"]
        ),
        .testTarget(
            name: "VirtualRadioTests",
            dependencies: ["BluetoothTypes", "BluetoothHCI", "VirtualRadio", "LanyardTestSupport"]
        ),
        .testTarget(
            name: "VirtualAccessoriesTests",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT",
                "BluetoothGATT", "BluetoothSMP", "VirtualRadio", "VirtualAccessories",
                "LanyardTestSupport",
            ]
        ),
        .testTarget(
            name: "JSONReadingTests",
            dependencies: ["JSONReading", "LanyardTestSupport"]
        ),
        .testTarget(
            name: "VirtualAdaptersTests",
            dependencies: [
                "BluetoothTypes", "HCITransports", "BluetoothHost", "VirtualRadio",
                "VirtualAccessories", "VirtualAdapters",
            ]
        ),
        .testTarget(
            name: "BluetoothHostTests",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT",
                "BluetoothGATT", "BluetoothSMP", "BluetoothGAP", "HCITransports", "BluetoothHost",
                "LanyardTestSupport", "ProcessTestSupport", "StoreTestSupport", "StoreWriter",
            ]
        ),
        .testTarget(
            name: "LanyardTests",
            dependencies: ["Lanyard", "LanyardTestSupport", "ProcessTestSupport"]
        ),
        .testTarget(
            name: "LanyardCLITests",
            dependencies: ["LanyardCLI", "LanyardTestSupport", "ProcessTestSupport"]
        ),
        .testTarget(
            name: "QualificationTests",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT", "BluetoothGATT",
                "BluetoothSMP", "ServerTestSupport", "LanyardTestSupport",
            ],
            path: "Tests/Qualification"
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothATT", "BluetoothGATT", "BluetoothSMP",
                "BluetoothGAP", "BluetoothHost", "HCITransports", "VirtualRadio",
                "VirtualAccessories", "VirtualAdapters", "LanyardTestSupport",
            ],
            path: "Tests/Simulation"
        ),
        // A host on a serial line, over real terminals.
        .testTarget(
            name: "SerialLineTests",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothGATT", "BluetoothHost", "HCITransports",
                "LinuxInterfaces", "VirtualRadio", "VirtualAccessories", "VirtualAdapters",
                "LanyardTestSupport", "ProcessTestSupport",
            ],
            path: "Tests/SerialLines"
        ),
        .testTarget(
            name: "InteroperabilityTests",
            dependencies: [
                "BluetoothHCI", "BluetoothHost", "HCITransports", "PairingTestSupport",
                "ProcessTestSupport",
            ],
            path: "Tests/Interoperability",
            exclude: ["Peers"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Apple's platforms have a CoreBluetooth of their own; here it is a room above the host.
// LANYARD_COREBLUETOOTH=1 asks for it where the manifest is read elsewhere (a cross build).
#if os(Linux)
    let hasCoreBluetooth = true
#else
    let hasCoreBluetooth = Context.environment["LANYARD_COREBLUETOOTH"] == "1"
#endif
if hasCoreBluetooth {
    package.products += [
        .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
        .library(name: "LanyardTesting", targets: ["LanyardTesting"]),
    ]
    package.targets += [
        // Open enumerations, which only C can declare.
        .target(name: "CoreBluetoothEnumerations"),
        .target(
            name: "CoreBluetooth",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT",
                "BluetoothGATT", "BluetoothSMP", "BluetoothGAP", "HCITransports", "BluetoothHost",
                "VirtualAdapters", "CoreBluetoothEnumerations",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Virtual accessories for the tests of applications.
        .target(
            name: "LanyardTesting",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothATT", "BluetoothGATT", "BluetoothSMP",
                "BluetoothGAP", "HCITransports", "BluetoothHost", "VirtualRadio",
                "VirtualAccessories", "VirtualAdapters", "CoreBluetooth", "Lanyard",
            ]
        ),
        .testTarget(
            name: "LanyardTestingTests",
            dependencies: [
                "LanyardTesting", "Lanyard", "CoreBluetooth", "VirtualRadio", "VirtualAdapters",
                "VirtualAccessories", "LanyardTestSupport",
            ]
        ),
        // Programs as one would write them for Apple's platforms; in no product.
        .executableTarget(
            name: "ExampleHeartRateMonitor",
            dependencies: ["CoreBluetooth"],
            path: "Examples/HeartRateMonitor"
        ),
        .executableTarget(
            name: "ExampleNotebookPeripheral",
            dependencies: ["CoreBluetooth"],
            path: "Examples/NotebookPeripheral"
        ),
        .executableTarget(
            name: "ExampleFileDrop",
            dependencies: ["CoreBluetooth"],
            path: "Examples/FileDrop"
        ),
        // The second example of the README; in no product.
        .executableTarget(
            name: "ExampleMessageBox",
            dependencies: ["Lanyard"],
            path: "Examples/MessageBox"
        ),
        // An application that tests kill; in no product.
        .executableTarget(
            name: "RestorationApp",
            dependencies: ["CoreBluetooth"],
            path: "Tests/RestorationApp"
        ),
        .testTarget(
            name: "CoreBluetoothTests",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT",
                "BluetoothGATT", "BluetoothSMP", "BluetoothGAP", "HCITransports", "BluetoothHost",
                "VirtualRadio", "VirtualAccessories", "VirtualAdapters", "CoreBluetooth",
                "LanyardTestSupport", "PlainClient", "MainActorClient", "PreconcurrencyClient",
            ]
        ),
        // Every symbol of Apple's table with its type, and clients in the three idioms; in no product.
        .target(
            name: "CoreBluetoothSymbols",
            dependencies: ["CoreBluetooth"],
            path: "Tests/APICompatibility/Symbols"
        ),
        .target(
            name: "PlainClient",
            dependencies: ["CoreBluetooth"],
            path: "Tests/APICompatibility/PlainClient",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(
            name: "MainActorClient",
            dependencies: ["CoreBluetooth"],
            path: "Tests/APICompatibility/MainActorClient"
        ),
        .target(
            name: "PreconcurrencyClient",
            dependencies: ["CoreBluetooth"],
            path: "Tests/APICompatibility/PreconcurrencyClient"
        ),
        .testTarget(
            name: "APICompatibilityTests",
            dependencies: [
                "CoreBluetooth", "CoreBluetoothSymbols",
            ],
            path: "Tests/APICompatibility/Tests"
        ),
    ]
}

// Where there is a CoreBluetooth of ours, Lanyard stands on it, and it meets the peers, too.
if hasCoreBluetooth {
    let users: [String: [Target.Dependency]] = [
        "Lanyard": ["CoreBluetooth"],
        "LanyardCLI": ["CoreBluetooth", "LanyardTesting"],
        "LanyardTests": ["CoreBluetooth"],
        "SimulationTests": ["CoreBluetooth", "Lanyard", "LanyardTesting"],
        "InteroperabilityTests": ["CoreBluetooth", "Lanyard"],
    ]
    for target in package.targets {
        target.dependencies += users[target.name] ?? []
    }
}

/// Leaves these targets and what they need: who runs few tests builds little.
@MainActor
func keepOnly(_ names: [String]) {
    var kept = Set(names)
    var open = names
    while let name = open.popLast() {
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            switch dependency {
            case .targetItem(let needed, _), .byNameItem(let needed, _):
                if kept.insert(needed).inserted { open.append(needed) }
            default: break
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        let targets =
            (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets
        return targets?.allSatisfy(kept.contains) == false
    }
}

// Scripts/test-sanitized builds what it tests, and nothing else.
if Context.environment["LANYARD_SANITIZED"] == "1" { keepOnly(["CoreBluetoothTests"]) }

// Scripts/test-bluez builds what meets BlueZ, the program among it, and nothing else.
if Context.environment["LANYARD_BLUEZ"] == "1" {
    package.targets.append(
        .testTarget(
            name: "BlueZTests",
            dependencies: [
                "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT",
                "BluetoothGATT", "BluetoothSMP", "BluetoothGAP", "HCITransports", "BluetoothHost",
                "VirtualRadio", "VirtualAccessories", "VirtualAdapters", "CoreBluetooth",
                "Lanyard", "PairingTestSupport", "ProcessTestSupport",
            ],
            path: "Tests/BlueZ",
            exclude: ["Machine"]
        )
    )
    keepOnly(["BlueZTests", "LanyardCLI"])
}
