// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// With LANYARD_RELEASE=1, exact versions of all packages, those that other packages bring along
// included: what `Scripts/build-static` builds, and `Scripts/check-dependencies` checks. Packages that
// depend on Lanyard get ranges.
let isRelease = Context.environment["LANYARD_RELEASE"] == "1"
let dependencies: [Package.Dependency] =
    isRelease
    ? [
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
    ]
    : [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ]

// The protocols, each on those before it.
let protocols: [Target.Dependency] = [
    "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT", "BluetoothGATT",
    "BluetoothSMP", "BluetoothGAP",
]
let host: [Target.Dependency] = protocols + ["HCITransports", "BluetoothPort", "BluetoothHost"]
let radio: [Target.Dependency] = ["VirtualRadio", "VirtualAccessories", "VirtualAdapters"]
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
// BoringSSL's functions. On Apple's platforms, `Crypto` is CryptoKit and no part of BoringSSL is built.
let cryptoExtras: Target.Dependency = .product(
    name: "CryptoExtras",
    package: "swift-crypto",
    condition: .when(platforms: [.linux])
)
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// Returns a test target that has what all tests share.
func tests(
    _ name: String,
    _ dependencies: [Target.Dependency],
    path: String? = nil,
    exclude: [String] = []
) -> Target {
    let shared: [Target.Dependency] = ["LanyardTestSupport", "ProcessTestSupport"]
    return .testTarget(
        name: name,
        dependencies: dependencies + shared,
        path: path,
        exclude: exclude
    )
}

/// Returns a library target: a module of Sources/, or a part of the tests or examples.
func module(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    path: String? = nil,
    exclude: [String] = [],
    sources: [String]? = nil,
    resources: [Resource]? = nil
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: path,
        exclude: exclude,
        sources: sources,
        resources: resources
    )
}

/// Returns a program that tests start, or an example, in no product.
func program(_ name: String, _ dependencies: [Target.Dependency], path: String) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path)
}

/// Returns the program of a folder in Examples/.
func example(_ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    program("Example\(folder)", dependencies, path: "Examples/\(folder)")
}

// The privacy manifests of the targets that an application for Apple's platforms links. On Linux they
// would only cost a resource bundle.
#if os(Linux)
    let privacyManifest: [Resource] = []
    let privacyManifestExclusion = ["PrivacyInfo.xcprivacy"]
#else
    let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
    let privacyManifestExclusion: [String] = []
#endif

/// Returns the targets of the façade, whose module gets a name.
func facade(named name: String) -> [Target] {
    [
        // Open enumerations, which only C can declare.
        module("CoreBluetoothEnumerations"),
        .target(
            name: name,
            dependencies: host + [
                "BluetoothRadios", "DBus", "BlueZAdapter", "VirtualAdapters",
                "CoreBluetoothEnumerations", logging,
            ],
            path: "Sources/CoreBluetooth",
            // A module in mode 6 gives clients in mode 5 warnings about Sendable that Apple's SDK does
            // not give. Scripts/test-sanitized builds it in mode 6, where a data race is an error.
            swiftSettings: [
                .swiftLanguageMode(Context.environment["LANYARD_SANITIZED"] == "1" ? .v6 : .v5)
            ]
        ),
    ]
}

// The compiler refuses an import that is not declared here. `Scripts/check-imports` checks the
// rules that the compiler does not know.
let package = Package(
    name: "Lanyard",
    // Not tvOS and watchOS: an application cannot be a peripheral there.
    platforms: [.macOS(.v15), .iOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "BluetoothHost", targets: ["BluetoothHost"]),
        .library(name: "HCITransports", targets: ["HCITransports"]),
        .library(
            name: "VirtualRadio",
            targets: ["VirtualRadio", "VirtualAccessories", "VirtualAdapters"]
        ),
        .library(name: "Lanyard", targets: ["Lanyard"]),
        .library(name: "BluetoothValues", targets: ["BluetoothValues"]),
        .library(name: "BluetoothSetUp", targets: ["BluetoothSetUp"]),
        .executable(name: "lanyard", targets: ["LanyardCLI"]),
    ],
    dependencies: dependencies,
    targets: [
        module("BluetoothTypes"),
        module("BluetoothCrypto", [crypto, cryptoExtras]),
        module("BluetoothHCI", ["BluetoothTypes"]),
        module("BluetoothL2CAP", ["BluetoothTypes", "BluetoothHCI"]),
        module("BluetoothATT", ["BluetoothTypes", "BluetoothL2CAP"]),
        module("BluetoothGATT", ["BluetoothTypes", "BluetoothCrypto", "BluetoothATT"]),
        module("BluetoothSMP", ["BluetoothTypes", "BluetoothCrypto", "BluetoothHCI"]),
        module("BluetoothGAP", ["BluetoothTypes", "BluetoothCrypto", "BluetoothHCI"]),
        // Declarations of Linux that the C library's headers lack.
        module("LinuxInterfaces"),
        module(
            "HCITransports",
            ["BluetoothTypes", "BluetoothHCI", "LinuxInterfaces"],
            exclude: privacyManifestExclusion,
            resources: privacyManifest
        ),
        module("DBus", ["BluetoothTypes", "HCITransports"]),
        module(
            "BluetoothPort",
            [
                "BluetoothTypes", "BluetoothL2CAP", "BluetoothATT", "BluetoothGATT", "BluetoothGAP",
                "HCITransports",
            ]
        ),
        module(
            "BluetoothHost",
            protocols + ["BluetoothCrypto", "HCITransports", "BluetoothPort", logging]
        ),
        module(
            "BlueZAdapter",
            [
                "BluetoothTypes", "BluetoothHCI", "BluetoothGATT", "BluetoothGAP", "BluetoothPort",
                "HCITransports", "DBus",
            ]
        ),
        module(
            "BluetoothRadios",
            ["BluetoothTypes", "BluetoothGAP", "BluetoothPort", "HCITransports", "BluetoothHost"]
        ),
        module("VirtualRadio", ["BluetoothTypes", "BluetoothCrypto", "BluetoothHCI"]),
        module("VirtualAccessories", protocols + ["VirtualRadio", "JSONText"]),
        module("JSONText"),
        module(
            "VirtualAdapters",
            [
                "BluetoothTypes", "BluetoothHCI", "HCITransports", "VirtualRadio",
                "VirtualAccessories", "JSONText",
            ]
        ),
        // The table in the library itself, as a resource of a bundle could be missing.
        module("BluetoothValues", resources: [.embedInCode("Fields/characteristic-fields.csv")]),
        module("BluetoothSetUp", ["BluetoothValues"]),
        module(
            "Lanyard",
            ["BluetoothValues", "BluetoothCrypto", "JSONText", crypto, logging],
            exclude: privacyManifestExclusion,
            resources: privacyManifest
        ),
        .executableTarget(
            name: "LanyardCLI",
            dependencies: host + radio + [
                "Lanyard", "BluetoothValues", "BluetoothSetUp", "JSONText", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            // In the program itself, which stays one file.
            resources: [
                .embedInCode("AssignedNumbers/assigned-numbers.csv"),
                .embedInCode("AssignedNumbers/company-names.csv"),
                .embedInCode("Timeline/Page"),
            ]
        ),

        module("LanyardTestSupport", path: "Tests/Support"),
        module("ProcessTestSupport", path: "Tests/ProcessSupport"),
        module("ServerTestSupport", protocols, path: "Tests/ServerSupport"),
        module("StoreTestSupport", protocols + ["HCITransports"], path: "Tests/StoreSupport"),
        module("BusTestSupport", ["DBus", "HCITransports"], path: "Tests/BusSupport"),
        module("PairingTestSupport", ["BluetoothHost"], path: "Tests/PairingSupport"),
        program("StoreWriter", host + ["StoreTestSupport"], path: "Tests/StoreWriter"),

        tests("BluetoothTypesTests", ["BluetoothTypes"]),
        tests("BluetoothCryptoTests", ["BluetoothTypes", "BluetoothCrypto", crypto]),
        tests("BluetoothHCITests", ["BluetoothHCI"]),
        tests("BluetoothL2CAPTests", ["BluetoothL2CAP"]),
        tests("BluetoothATTTests", ["BluetoothATT"]),
        tests("BluetoothGATTTests", ["BluetoothGATT", "ServerTestSupport"]),
        tests("BluetoothSMPTests", ["BluetoothSMP"]),
        tests("BluetoothGAPTests", ["BluetoothGAP"]),
        tests("HCITransportsTests", ["HCITransports", "StoreTestSupport"]),
        tests("DBusTests", ["DBus", "BluetoothTypes", "HCITransports", "BusTestSupport"]),
        tests(
            "BlueZAdapterTests",
            protocols + [
                "HCITransports", "BluetoothPort", "DBus", "BlueZAdapter", "BusTestSupport",
            ]
        ),
        tests("BluetoothHostTests", host + ["StoreTestSupport", "StoreWriter"]),
        tests("BluetoothRadiosTests", host + radio + ["BluetoothRadios"]),
        tests("VirtualRadioTests", ["VirtualRadio"]),
        tests("VirtualAccessoriesTests", protocols + ["VirtualRadio", "VirtualAccessories"]),
        tests("VirtualAdaptersTests", host + radio),
        tests("JSONTextTests", ["BluetoothTypes", "JSONText"]),
        tests(
            "BluetoothValuesTests",
            ["BluetoothTypes", "BluetoothValues"],
            exclude: ["Oracle/oracle.py", "Oracle/differences.csv"]
        ),
        tests("BluetoothSetUpTests", ["BluetoothTypes", "BluetoothSetUp"]),
        tests("LanyardTests", ["Lanyard", "JSONText"]),
        tests("LanyardCLITests", ["LanyardCLI"]),
        tests("QualificationTests", protocols + ["ServerTestSupport"], path: "Tests/Qualification"),
        tests("SimulationTests", host + radio, path: "Tests/Simulation"),
        tests("SerialLineTests", host + radio + ["LinuxInterfaces"], path: "Tests/SerialLines"),
        tests(
            "InteroperabilityTests",
            host + radio + ["PairingTestSupport"],
            path: "Tests/Interoperability",
            exclude: ["Peers"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Apple's platforms have their own CoreBluetooth, and the module there has another name: an
// application uses it instead of the framework with
// `-module-alias CoreBluetooth=LanyardCoreBluetooth`. LANYARD_COREBLUETOOTH=1 gives it its name where
// the manifest is read on another system than Linux, for a cross build. LANYARD_ALIAS=1 gives it the
// other name on Linux, for Scripts/check-alias.
#if os(Linux)
    let hasCoreBluetooth = Context.environment["LANYARD_ALIAS"] != "1"
#else
    let hasCoreBluetooth = Context.environment["LANYARD_COREBLUETOOTH"] == "1"
#endif
if hasCoreBluetooth {
    package.products += [
        .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
        .library(name: "LanyardTesting", targets: ["LanyardTesting"]),
    ]
    package.targets += facade(named: "CoreBluetooth")
    package.targets += [
        module("LanyardTesting", host + radio + ["CoreBluetooth", "Lanyard"]),
        example("HeartRateMonitor", ["CoreBluetooth"]),
        example("NotebookPeripheral", ["CoreBluetooth"]),
        example("FileDrop", ["CoreBluetooth"]),
        example("MessageBox", ["Lanyard"]),
        module("ExampleKiosk", ["Lanyard"], path: "Examples/Kiosk"),
        module("PortingShims", [logging], path: "Examples/Porting/Shims"),
        module(
            "ExamplePorting",
            ["CoreBluetooth", "PortingShims"],
            path: "Examples/Porting",
            exclude: ["Shims"]
        ),
        program("RestorationApp", ["CoreBluetooth"], path: "Tests/RestorationApp"),
        // Every symbol of Apple's table with its type, and clients in the three idioms.
        module("CoreBluetoothSymbols", ["CoreBluetooth"], path: "Tests/APICompatibility/Symbols"),
        .target(
            name: "PlainClient",
            dependencies: ["CoreBluetooth"],
            path: "Tests/APICompatibility/PlainClient",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        module(
            "MainActorClient",
            ["CoreBluetooth"],
            path: "Tests/APICompatibility/MainActorClient"
        ),
        module(
            "PreconcurrencyClient",
            ["CoreBluetooth"],
            path: "Tests/APICompatibility/PreconcurrencyClient"
        ),
        tests("LanyardTestingTests", radio + ["LanyardTesting"]),
        tests("PortingTests", ["CoreBluetooth", "ExamplePorting", "PortingShims"]),
        tests("KioskTests", ["ExampleKiosk", "Lanyard", "LanyardTesting"]),
        tests(
            "CoreBluetoothTests",
            host + radio + [
                "CoreBluetooth", "PlainClient", "MainActorClient", "PreconcurrencyClient",
            ]
        ),
        tests(
            "APICompatibilityTests",
            ["CoreBluetoothSymbols"],
            path: "Tests/APICompatibility/Tests"
        ),
    ]
    let users: [String: [Target.Dependency]] = [
        "Lanyard": ["CoreBluetooth"],
        "LanyardCLI": ["CoreBluetooth", "LanyardTesting"],
        "LanyardTests": ["CoreBluetooth"],
        "SimulationTests": ["BluetoothRadios", "CoreBluetooth", "Lanyard", "LanyardTesting"],
        "InteroperabilityTests": ["BluetoothRadios", "CoreBluetooth", "Lanyard"],
    ]
    for target in package.targets { target.dependencies += users[target.name] ?? [] }
} else {
    package.products.append(
        .library(name: "LanyardCoreBluetooth", targets: ["LanyardCoreBluetooth"])
    )
    package.targets += facade(named: "LanyardCoreBluetooth")
}

// A package that no target needs itself would be warned of.
if isRelease {
    package.targets.first { $0.name == "BluetoothCrypto" }?.dependencies
        .append(.product(name: "SwiftASN1", package: "swift-asn1"))
}

// Scripts/check-alias builds examples on the façade under its other name.
if Context.environment["LANYARD_ALIAS"] == "1" {
    let examples = ["HeartRateMonitor", "NotebookPeripheral", "FileDrop"]
    package.targets += examples.map { example in
        .executableTarget(
            name: "Aliased\(example)",
            dependencies: ["LanyardCoreBluetooth"],
            path: "Examples/\(example)",
            swiftSettings: [
                .unsafeFlags(["-module-alias", "CoreBluetooth=LanyardCoreBluetooth"])
            ]
        )
    }
}

// Scripts/test-bluez adds the tests with BlueZ. They read symbols of package access, so they cannot be
// a package of their own.
if Context.environment["LANYARD_BLUEZ"] == "1" {
    package.targets += [
        program("DaemonProgram", ["BluetoothHost", "CoreBluetooth"], path: "Tests/DaemonProgram"),
        tests(
            "BlueZTests",
            host + radio + ["CoreBluetooth", "Lanyard", "PairingTestSupport", "DaemonProgram"],
            path: "Tests/BlueZ",
            exclude: ["Machine"]
        ),
    ]
}

// Scripts/fuzz adds the fuzz targets.
if Context.environment["LANYARD_FUZZING"] == "1" {
    // The program as a library: libFuzzer brings a `main` of its own.
    let tool = package.targets.first { $0.name == "LanyardCLI" }
    package.targets.removeAll { $0.name == "LanyardCLI" }
    package.targets += [
        .target(
            name: "LanyardCLI",
            dependencies: tool?.dependencies ?? [],
            resources: tool?.resources ?? [],
            swiftSettings: [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "program"])
            ]
        ),
        // The parts of three test targets that the fuzz targets use.
        module(
            "HostHarness",
            ["BluetoothHost"],
            path: "Tests/BluetoothHostTests",
            sources: ["Model", "Harness/Harness.swift"]
        ),
        module(
            "ServerHarness",
            ["BluetoothGATT", "LanyardTestSupport"],
            path: "Tests/BluetoothGATTTests/Fuzz",
            sources: ["FuzzedServer.swift", "RequestGenerator.swift"]
        ),
        module(
            "PairingHarness",
            ["BluetoothSMP", "LanyardTestSupport"],
            path: "Tests/BluetoothSMPTests",
            sources: [
                "Conformance/FuzzedPairing.swift", "Conformance/PairingModel.swift",
                "Conformance/PairingScript.swift", "Conformance/People.swift",
                "Conformance/Probe.swift", "PDUs/PDUVector.swift",
            ]
        ),
        .executableTarget(
            name: "LanyardFuzzing",
            dependencies: [
                "LanyardCLI", "HostHarness", "ServerHarness", "PairingHarness", "ServerTestSupport",
                "DBus", "BlueZAdapter",
            ] + (tool?.dependencies ?? []),
            path: "Fuzzing",
            exclude: ["Corpus", "README.md"]
        ),
    ]
    package.products.removeAll { $0.name == "lanyard" }
}

// Scripts/docs adds DocC's plugin.
if Context.environment["LANYARD_DOCS"] == "1" {
    package.dependencies.append(
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0")
    )
}

/// Removes all targets but these and those that they depend on.
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

// LANYARD_ONLY="BluetoothGATTTests,LanyardCLI" limits the package to these targets and their
// dependencies, so that a script builds only what it needs.
if let names = Context.environment["LANYARD_ONLY"] {
    keepOnly(names.split(separator: ",").map(String.init))
}
