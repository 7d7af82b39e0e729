// SPDX-License-Identifier: Apache-2.0

import BluetoothSetUp
import BluetoothTypes
import Foundation
import JSONText
import VirtualAccessories

@testable import BluetoothHost
@testable import BluetoothSMP
@testable import Lanyard
@testable import LanyardCLI
@testable import VirtualAdapters

extension FuzzTarget {
    static let fileTargets = [
        FuzzTarget("store-records", fuzzStoreRecords),
        FuzzTarget("accessory-store", fuzzAccessoryStore),
        FuzzTarget("database-file", fuzzDatabaseFile),
        FuzzTarget("scenario-file", fuzzScenarioFile),
        FuzzTarget("out-of-band-file", fuzzOutOfBandFile),
        FuzzTarget("property-list", fuzzPropertyList),
        FuzzTarget("packet-log", fuzzPacketLog),
        FuzzTarget("capture", fuzzCapture),
        FuzzTarget("flight-recording", fuzzFlightRecording),
        FuzzTarget("page-requests", fuzzPageRequests),
    ]
}

/// Returns the bytes as text, or `nil` if they are not valid UTF-8, like the readers of files.
private func text(_ bytes: some Sequence<UInt8>) -> String? {
    String(validating: Array(bytes), as: UTF8.self)
}

/// Reads a definition for `lanyard serve`, or a command that is typed while it runs. The first byte
/// selects which.
private func fuzzDatabaseFile(_ bytes: [UInt8]) {
    guard let text = text(bytes.dropFirst()) else { return }
    guard (bytes.first ?? 0) & 1 == 0 else {
        _ = try? TypedCommand(text)
        return
    }
    guard let accessory = try? ServedAccessory(parsing: text) else { return }
    require(accessory.services.count <= ServedAccessory.serviceLimit, "too many services")
    require((try? accessory.publishLocally()) != nil, "a parsed accessory cannot be published")
}

private func fuzzScenarioFile(_ bytes: [UInt8]) {
    guard let text = text(bytes),
        let scenario = try? Scenario(parsing: text, accessories: ExampleAccessories.kinds)
    else { return }
    require(scenario.devices.count <= Scenario.deviceLimit, "too many devices")
    let names = scenario.devices.map(\.name)
    require(Set(names).count == names.count, "one name twice")
}

/// Reads out-of-band data of another device, as a file or as a tag, or the keys for a capture.
private func fuzzOutOfBandFile(_ bytes: [UInt8]) {
    let rest = bytes.dropFirst()
    switch (bytes.first ?? 0) % 3 {
    case 0: if let text = text(rest) { _ = try? OutOfBandFile.parse(text) }
    case 1: if let text = text(rest) { _ = try? ExportedKey.parse(text) }
    default:
        guard let tag = try? Pairing.OutOfBandTag(parsing: rest) else { return }
        let again = try? Pairing.OutOfBandTag(parsing: tag.encode()[...])
        require(again?.data == tag.data, "other data come back")
    }
}

/// Reads an Info.plist, and the same bytes as entitlements, for each platform and for none.
private func fuzzPropertyList(_ bytes: [UInt8]) {
    let data = Data(bytes)
    var check = InfoPlistCheck()
    check.backgroundRoles = [.central, .peripheral]
    check.restores = true
    check.usesAccessorySetup = true
    for platform in [nil] + InfoPlistCheck.Platform.allCases {
        check.platform = platform
        for finding in (try? check.findings(in: data, entitlements: data)) ?? [] {
            require(!"\(finding)".isEmpty, "a finding without a description")
        }
    }
}

/// Reads the accessories that an application has stored.
private func fuzzAccessoryStore(_ bytes: [UInt8]) {
    guard var document = try? AccessoryDocument(Data(bytes)) else { return }
    let known = document.accessories.known
    guard let again = try? AccessoryDocument(document.encoded()) else {
        fatalError("a document that cannot be written")
    }
    require(again.accessories.known == known, "other accessories come back")
    for accessory in known { document.put(accessory) }
    for accessory in known { _ = document.remove(accessory.identity) }
    require(document.accessories.known.isEmpty, "accessories that cannot be forgotten")
}
