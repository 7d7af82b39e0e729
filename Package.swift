// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Returns whether a script has set a variable that changes the package.
func isSet(_ variable: String) -> Bool { Context.environment[variable] == "1" }

// Scripts/build-static builds a release with exact versions of all packages, indirect ones
// included, which Scripts/check-dependencies checks. Packages that depend on Lanyard get ranges.
let isRelease = isSet("LANYARD_RELEASE")
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
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
// BoringSSL's functions. On Apple's platforms, `Crypto` is CryptoKit, and BoringSSL is not built.
let cryptoExtras: Target.Dependency = .product(
    name: "CryptoExtras",
    package: "swift-crypto",
    condition: .when(platforms: [.linux])
)
// No target needs it, but SwiftPM warns of a package that no target names.
let asn1: [Target.Dependency] =
    isRelease ? [.product(name: "SwiftASN1", package: "swift-asn1")] : []

// Apple's platforms have their own CoreBluetooth, and the façade there has another name: an
// application uses it instead of the framework with
// `-module-alias CoreBluetooth=LanyardCoreBluetooth`. LANYARD_COREBLUETOOTH=1 gives it the name
// CoreBluetooth where the manifest is read on another system than Linux, for a cross build.
// LANYARD_ALIAS=1 gives it the other name on Linux, for Scripts/check-alias. LANYARD_PORTABLE=1
// removes on Linux all targets that exist only there, for Scripts/check-portable.
#if os(Linux)
    let isPortable = isSet("LANYARD_PORTABLE")
    let hasCoreBluetooth = !isSet("LANYARD_ALIAS") && !isPortable
#else
    let isPortable = false
    let hasCoreBluetooth = isSet("LANYARD_COREBLUETOOTH")
#endif
let facade = hasCoreBluetooth ? "CoreBluetooth" : "LanyardCoreBluetooth"
// The folders of the code that imports a module named CoreBluetooth. The folder of Lanyard also
// uses Apple's framework.
let facadeExclusion = hasCoreBluetooth ? [] : ["CoreBluetooth"]
let frameworkExclusion = isPortable ? ["CoreBluetooth"] : []

// Lists of modules that several targets use. In `protocols`, each module comes after the modules
// that it depends on.
let protocols: [Target.Dependency] = [
    "BluetoothTypes", "BluetoothHCI", "BluetoothL2CAP", "BluetoothATT", "BluetoothGATT",
    "BluetoothSMP", "BluetoothGAP",
]
let host: [Target.Dependency] = protocols + ["HCITransports", "BluetoothPort", "BluetoothHost"]
let radio: [Target.Dependency] = ["VirtualRadio", "VirtualAccessories", "VirtualAdapters"]
// The façade, where it has Apple's name.
let coreBluetooth: [Target.Dependency] = hasCoreBluetooth ? ["CoreBluetooth"] : []
let apps: [Target.Dependency] = coreBluetooth + ["LanyardTesting"]

/// Returns a library target: a module of Sources/, or a part of the tests or examples.
func module(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    path: String? = nil,
    exclude: [String] = [],
    resources: [Resource] = [],
    settings: [SwiftSetting] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: path,
        exclude: exclude,
        resources: resources,
        swiftSettings: settings
    )
}

/// Returns a library target with a privacy manifest, which an application for Apple's platforms
/// needs. On Linux it would only add a resource bundle.
func moduleWithPrivacyManifest(
    _ name: String,
    _ dependencies: [Target.Dependency],
    exclude: [String] = [],
    settings: [SwiftSetting] = []
) -> Target {
    #if os(Linux)
        module(
            name,
            dependencies,
            exclude: exclude + ["PrivacyInfo.xcprivacy"],
            settings: settings
        )
    #else
        module(
            name,
            dependencies,
            exclude: exclude,
            resources: [.copy("PrivacyInfo.xcprivacy")],
            settings: settings
        )
    #endif
}

/// Returns a program: an example, or one that tests or scripts start.
func program(
    _ name: String,
    _ dependencies: [Target.Dependency],
    path: String,
    exclude: [String] = [],
    resources: [Resource] = [],
    settings: [SwiftSetting] = []
) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: path,
        exclude: exclude,
        resources: resources,
        swiftSettings: settings
    )
}

/// Returns a test target with the modules that all tests use.
func tests(
    _ name: String,
    _ dependencies: [Target.Dependency],
    path: String? = nil,
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["LanyardTestSupport", "ProcessTestSupport"],
        path: path,
        exclude: exclude
    )
}

let tool = Target.executableTarget(
    name: "LanyardCLI",
    dependencies: host + radio + apps
        + [
            "BluetoothRadios", "DBus", "BlueZAdapter", "Lanyard", "BluetoothValues",
            "BluetoothSetUp", "JSONText", logging, arguments,
        ],
    // Embedded in the program, so that it is one file.
    resources: [
        .embedInCode("AssignedNumbers/assigned-numbers.csv"),
        .embedInCode("AssignedNumbers/company-names.csv"),
        .embedInCode("Timeline/Page"),
        .embedInCode("Live/Page"),
    ]
)

// The compiler can also import modules that a target does not declare here.
// `Scripts/check-imports` checks all imports.
let package = Package(
    name: "Lanyard",
    // Not tvOS and watchOS: an application cannot be a peripheral there. The tests and the command
    // line use Mutex and task executors, which need newer systems than the libraries:
    // LANYARD_TESTS=1 builds them on a Mac.
    platforms: isSet("LANYARD_TESTS")
        ? [.macOS(.v15), .iOS(.v18), .visionOS(.v2)] : [.macOS(.v14), .iOS(.v17), .visionOS(.v1)],
    products: [
        .library(name: "BluetoothHost", targets: ["BluetoothHost"]),
        .library(name: "HCITransports", targets: ["HCITransports"]),
        // For the separate package in Fleet/.
        .library(name: "GatewayProtocol", targets: ["GatewayProtocol"]),
        .library(name: "JSONText", targets: ["JSONText"]),
        .library(
            name: "VirtualRadio",
            targets: ["VirtualRadio", "VirtualAccessories", "VirtualAdapters"]
        ),
        .library(name: "Lanyard", targets: ["Lanyard"]),
        .library(name: "LanyardTesting", targets: ["LanyardTesting"]),
        .library(name: "BluetoothValues", targets: ["BluetoothValues"]),
        .library(name: "BluetoothSetUp", targets: ["BluetoothSetUp"]),
        .executable(name: "lanyard", targets: ["LanyardCLI"]),
    ],
    dependencies: dependencies,
    targets: [
        module("BluetoothTypes"),
        module("BluetoothCrypto", [crypto, cryptoExtras] + asn1),
        module("BluetoothHCI", ["BluetoothTypes"]),
        module("BluetoothL2CAP", ["BluetoothTypes", "BluetoothHCI"]),
        module("BluetoothATT", ["BluetoothTypes"]),
        module("BluetoothGATT", ["BluetoothTypes", "BluetoothCrypto", "BluetoothATT"]),
        module("BluetoothSMP", ["BluetoothTypes", "BluetoothCrypto", "BluetoothHCI"]),
        module("BluetoothGAP", ["BluetoothTypes", "BluetoothCrypto", "BluetoothHCI"]),
        // Linux's declarations that the C library's headers lack.
        module("LinuxInterfaces"),
        moduleWithPrivacyManifest(
            "HCITransports",
            ["BluetoothTypes", "BluetoothHCI", "LinuxInterfaces"],
            // The lock of Apple's platforms, on Linux.
            settings: isPortable ? [.define("LANYARD_PORTABLE")] : []
        ),
        module("GatewayProtocol", ["BluetoothTypes", "BluetoothHCI", "JSONText"]),
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
        module("BluetoothClients", host + [logging]),
        module("VirtualRadio", ["BluetoothTypes", "BluetoothCrypto", "BluetoothHCI"]),
        module("VirtualAccessories", protocols + ["VirtualRadio", "JSONText"]),
        module(
            "VirtualAdapters",
            [
                "BluetoothTypes", "BluetoothHCI", "HCITransports", "VirtualRadio",
                "VirtualAccessories", "JSONText",
            ]
        ),
        module("JSONText", ["BluetoothTypes"]),
        // Open enumerations, which only C can declare.
        module("CoreBluetoothEnumerations"),
        module(
            facade,
            host + [
                "BluetoothClients", "BluetoothRadios", "DBus", "BlueZAdapter", "VirtualAdapters",
                "CoreBluetoothEnumerations", logging,
            ],
            path: "Sources/CoreBluetooth",
            // A module in mode 6 gives clients in mode 5 warnings about Sendable that Apple's SDK
            // does not give. Scripts/test-sanitized builds it in mode 6, where a race is an error.
            settings: [.swiftLanguageMode(isSet("LANYARD_SANITIZED") ? .v6 : .v5)]
        ),
        // The table is embedded in the library, because a resource bundle could be missing.
        module(
            "BluetoothValues",
            ["BluetoothTypes"],
            resources: [.embedInCode("Fields/characteristic-fields.csv")]
        ),
        module("BluetoothSetUp", ["BluetoothValues"]),
        moduleWithPrivacyManifest(
            "Lanyard",
            coreBluetooth + ["BluetoothValues", "BluetoothCrypto", "JSONText", crypto, logging],
            exclude: frameworkExclusion
        ),
        module(
            "LanyardTesting",
            host + radio + coreBluetooth + ["BluetoothClients", "Lanyard"],
            exclude: facadeExclusion
        ),
        tool,

        module("ExampleKiosk", ["Lanyard"], path: "Examples/Kiosk"),

        module("LanyardTestSupport", path: "Tests/Support"),
        module("ProcessTestSupport", path: "Tests/ProcessSupport"),
        module("ServerTestSupport", protocols, path: "Tests/ServerSupport"),
        module("StoreTestSupport", protocols + ["HCITransports"], path: "Tests/StoreSupport"),
        module("BusTestSupport", ["DBus", "HCITransports"], path: "Tests/BusSupport"),
        module("PairingTestSupport", ["BluetoothHost"], path: "Tests/PairingSupport"),
        program("StoreWriter", host + ["StoreTestSupport"], path: "Tests/StoreWriter"),
        // Our controller for RootCanal's tests of the Link Layer.
        program(
            "LinkLayerTester",
            ["BluetoothTypes", "BluetoothHCI", "VirtualRadio", "VirtualAdapters"],
            path: "Tests/LinkLayer",
            exclude: ["README.md", "deviations.py", "rootcanal_suite.py"]
        ),

        tests("BluetoothTypesTests", ["BluetoothTypes"]),
        tests("BluetoothCryptoTests", ["BluetoothTypes", "BluetoothCrypto", crypto]),
        tests("BluetoothHCITests", ["BluetoothHCI"]),
        tests("BluetoothL2CAPTests", ["BluetoothL2CAP"]),
        tests("BluetoothATTTests", ["BluetoothATT"]),
        tests("BluetoothGATTTests", ["BluetoothGATT", "ServerTestSupport"]),
        tests("BluetoothSMPTests", ["BluetoothSMP"]),
        tests("BluetoothGAPTests", ["BluetoothGAP"]),
        tests("HCITransportsTests", ["HCITransports", "StoreTestSupport"]),
        tests("GatewayProtocolTests", ["BluetoothTypes", "BluetoothHCI", "GatewayProtocol"]),
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
        tests("LanyardTests", coreBluetooth + ["Lanyard", "JSONText"]),
        tests(
            "LanyardTestingTests",
            radio + coreBluetooth + ["BluetoothClients", "LanyardTesting"],
            exclude: facadeExclusion
        ),
        tests("KioskTests", ["ExampleKiosk", "Lanyard", "LanyardTesting"]),
        tests(
            "LanyardCLITests",
            ["LanyardCLI", "BlueZAdapter", "DBus", "BusTestSupport"],
            exclude: ["Live/browser.py"]
        ),
        tests("QualificationTests", protocols + ["ServerTestSupport"], path: "Tests/Qualification"),
        tests(
            "SimulationTests",
            host + radio + apps + ["BluetoothRadios", "Lanyard"],
            path: "Tests/Simulation"
        ),
        tests("SerialLineTests", host + radio + ["LinuxInterfaces"], path: "Tests/SerialLines"),
        tests(
            "InteroperabilityTests",
            host + radio + coreBluetooth
                + ["BluetoothRadios", "Lanyard", "ExampleKiosk", "PairingTestSupport"],
            path: "Tests/Interoperability",
            exclude: ["Peers"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

if hasCoreBluetooth {
    package.products.append(.library(name: "CoreBluetooth", targets: ["CoreBluetooth"]))
    package.targets += [
        program("ExampleHeartRateMonitor", coreBluetooth, path: "Examples/HeartRateMonitor"),
        program("ExampleNotebookPeripheral", coreBluetooth, path: "Examples/NotebookPeripheral"),
        program("ExampleFileDrop", coreBluetooth, path: "Examples/FileDrop"),
        program("ExampleMessageBox", ["Lanyard"], path: "Examples/MessageBox"),
        program(
            "ExampleBuilding",
            host + radio + apps + ["BluetoothRadios", "GatewayProtocol", "JSONText", "Lanyard"],
            path: "Examples/Building",
            resources: [.embedInCode("Page")]
        ),
        module("PortingShims", [logging], path: "Examples/Porting/Shims"),
        module(
            "ExamplePorting",
            ["CoreBluetooth", "PortingShims"],
            path: "Examples/Porting",
            exclude: ["Shims"]
        ),

        program("RestorationApp", coreBluetooth, path: "Tests/RestorationApp"),
        // Every symbol of Apple's API with its type, and clients in Swift 5 and Swift 6.
        module("CoreBluetoothSymbols", coreBluetooth, path: "Tests/APICompatibility/Symbols"),
        module(
            "PlainClient",
            coreBluetooth,
            path: "Tests/APICompatibility/PlainClient",
            settings: [.swiftLanguageMode(.v5)]
        ),
        module("MainActorClient", coreBluetooth, path: "Tests/APICompatibility/MainActorClient"),
        module(
            "PreconcurrencyClient",
            coreBluetooth,
            path: "Tests/APICompatibility/PreconcurrencyClient"
        ),

        tests("PortingTests", ["CoreBluetooth", "ExamplePorting", "PortingShims"]),
        tests(
            "BuildingTests",
            host + radio + apps + [
                "BluetoothRadios", "ExampleBuilding", "GatewayProtocol", "Lanyard",
            ],
            exclude: ["building_page.py"]
        ),
        tests(
            "CoreBluetoothTests",
            host + radio + [
                "BluetoothClients", "CoreBluetooth", "PlainClient", "MainActorClient",
                "PreconcurrencyClient",
            ]
        ),
        tests(
            "APICompatibilityTests",
            ["CoreBluetoothSymbols"],
            path: "Tests/APICompatibility/Tests"
        ),
    ]
} else {
    package.products.append(
        .library(name: "LanyardCoreBluetooth", targets: ["LanyardCoreBluetooth"])
    )
}

// The examples on the façade under its other name.
if isSet("LANYARD_ALIAS") {
    package.targets += ["HeartRateMonitor", "NotebookPeripheral", "FileDrop"].map { example in
        program(
            "Aliased\(example)",
            ["LanyardCoreBluetooth"],
            path: "Examples/\(example)",
            settings: [.unsafeFlags(["-module-alias", "CoreBluetooth=LanyardCoreBluetooth"])]
        )
    }
}

// The targets that only Scripts/test-bluez and Scripts/fuzz build. They use symbols with package
// access, so they cannot be in other packages.
if isSet("LANYARD_BLUEZ") {
    package.targets += [
        program(
            "DaemonProgram",
            ["BluetoothHost", "CoreBluetooth", "ExampleKiosk", "Lanyard"],
            path: "Tests/DaemonProgram"
        ),
        tests(
            "BlueZTests",
            host + radio + apps + [
                "Lanyard", "ExampleKiosk", "PairingTestSupport", "DaemonProgram",
            ],
            path: "Tests/BlueZ",
            exclude: ["Machine"]
        ),
    ]
}
if isSet("LANYARD_FUZZING") {
    // The command line as a library, because libFuzzer contains `main`.
    package.products.removeAll { $0.name == "lanyard" }
    package.targets.removeAll { $0.name == tool.name }
    package.targets += [
        module(
            tool.name,
            tool.dependencies,
            resources: tool.resources ?? [],
            settings: [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "program"])
            ]
        ),
        // The core of lanyard-fleet. Its package depends on this one, so it cannot be a dependency.
        .target(
            name: "FleetMessages",
            dependencies: ["JSONText", "Lanyard"],
            path: "Fleet/Sources/LanyardFleet",
            // The driver, and the files that use packages that this package does not use.
            exclude: [
                "AccessoryRunner.swift", "AccessorySpans.swift", "BrokerConnection.swift",
                "BrokerOptions.swift", "FileSpan.swift", "FleetDriver.swift",
                "FleetMetrics.swift", "FleetSettings.swift", "LanyardFleet.swift",
                "MetricsServer.swift", "PresenceWatch.swift", "PrometheusRegistry.swift",
                "SpanFile.swift",
            ]
        ),
        // Parts of test targets.
        module("HostHarness", ["BluetoothHost"], path: "Tests/BluetoothHostTests/Model"),
        module(
            "ServerHarness",
            ["BluetoothGATT", "LanyardTestSupport"],
            path: "Tests/BluetoothGATTTests/FuzzedServer"
        ),
        module(
            "PairingHarness",
            ["BluetoothSMP", "LanyardTestSupport"],
            path: "Tests/BluetoothSMPTests/FuzzedPairing"
        ),
        program(
            "LanyardFuzzing",
            tool.dependencies + [
                "LanyardCLI", "HostHarness", "ServerHarness", "PairingHarness", "ServerTestSupport",
                "DBus", "BlueZAdapter", "GatewayProtocol", "FleetMessages",
            ],
            path: "Fuzzing",
            exclude: ["Corpus", "README.md"]
        ),
    ]
}

// LANYARD_ONLY="BluetoothGATTTests,LanyardCLI" limits the package to these targets and those that
// they depend on, so that a script builds only what it needs. LANYARD_PORTABLE=1 limits it to the
// tests of the test kit, of the kiosk and of the transports.
let only =
    isPortable
    ? ["LanyardTestingTests", "KioskTests", "HCITransportsTests"]
    : Context.environment["LANYARD_ONLY"]?.split(separator: ",").map(String.init)
if let only {
    var kept: Set<String> = []
    var open = only
    while let name = open.popLast() {
        guard kept.insert(name).inserted else { continue }
        let target = package.targets.first { $0.name == name }
        for case .byNameItem(let needed, _) in target?.dependencies ?? [] { open.append(needed) }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        let targets =
            (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets
        return !kept.isSuperset(of: targets ?? [])
    }
}
if isPortable {
    let linuxOnly = Set(package.targets.map(\.name)).intersection([
        "CoreBluetooth", "CoreBluetoothEnumerations", "LanyardCoreBluetooth", "BlueZAdapter",
        "DBus", "LanyardCLI",
    ])
    precondition(linuxOnly.isEmpty, "\(linuxOnly.sorted()) exist on Linux only")
}
