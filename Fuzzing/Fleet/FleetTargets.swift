// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText

@testable import FleetMessages

extension FuzzTarget {
    static let fleetTargets = [
        FuzzTarget("fleet-messages", fuzzFleetMessages),
        FuzzTarget("fleet-host", fuzzFleetHost),
    ]
}

/// A description of one accessory with a characteristic of each role.
let fuzzedFleet = """
    {"accessories": [{"id": "strap", "name": "Strap", "match": {"service": "180D"},
      "characteristics": [
        {"service": "180D", "uuid": "2A37", "roles": ["subscribe"],
         "sensor": {"name": "Rate", "format": "uint8", "offset": 1}},
        {"service": "180D", "uuid": "2A38", "roles": ["read"]},
        {"service": "180D", "uuid": "2A39", "roles": ["write"]}]}]}
    """

/// Reads the same bytes as a command, a lease, a description of accessories, and a journal.
private func fuzzFleetMessages(_ bytes: [UInt8]) {
    if let accessory = try? FleetDescription(parsing: fuzzedFleet).accessories.first {
        _ = try? FleetCommand(parsing: bytes, for: accessory)
    }
    if let id = FleetCommand.id(in: bytes) {
        require(FleetTopics.isLevel(id), "an id that is not a level")
    }
    if let claim = LeaseClaim(parsing: bytes) {
        require(
            LeaseClaim(parsing: Array(claim.payload.utf8)) == claim,
            "a claim changed by writing"
        )
    }
    if let description = try? FleetDescription(parsing: String(decoding: bytes, as: UTF8.self)) {
        require(description.accessories.count <= FleetDescription.accessoryLimit, "too many")
        for accessory in description.accessories {
            for characteristic in accessory.characteristics {
                _ = characteristic.sensor?.number(in: Data(bytes.prefix(512)))
            }
        }
    }
    let (records, end) = Journal.read(bytes)
    require(end <= bytes.count, "a record behind the end")
    let again = records.flatMap(Journal.encode)
    require(Journal.read(again).records == records, "records changed by writing")
}
