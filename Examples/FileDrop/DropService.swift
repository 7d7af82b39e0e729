// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The protocol between sender and receiver.
enum DropService {
    static var service: CBUUID { CBUUID(string: "5D0A0001-6F64-4B6B-9C7A-41A4F1F0B5E2") }

    /// The UUID of Core Bluetooth's characteristic that contains a PSM.
    static var psm: CBUUID { CBUUID(string: CBUUIDL2CAPPSMCharacteristicString) }

    static func bytes(of psm: CBL2CAPPSM) -> Data {
        Data([UInt8(truncatingIfNeeded: psm), UInt8(truncatingIfNeeded: psm >> 8)])
    }

    static func psm(in value: Data) -> CBL2CAPPSM? {
        let bytes = Array(value)
        guard bytes.count == 2 else { return nil }
        return CBL2CAPPSM(bytes[0]) | CBL2CAPPSM(bytes[1]) << 8
    }
}

/// Prints a line at once, even into a pipe. Without a reader, the line is lost.
func say(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
}
