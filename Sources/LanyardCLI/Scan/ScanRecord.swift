// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Foundation
import JSONText

/// The lines of `scan --csv`: comma-separated values (RFC 4180), one line for each advertisement.
enum ScanRecord {
    /// The names of the columns.
    static let title =
        "time,address,addressType,name,rssi,txPower,connectable,services,company,meaning,data"

    /// Returns the line of an advertisement.
    static func line(_ advertisement: Advertisement, at date: Date) -> String {
        let data = advertisement.data
        let fields = [
            TimeText.iso8601(date),
            advertisement.address.description,
            AddressText.name(of: advertisement.address.kind),
            data.printableName ?? "",
            advertisement.rssi.map { "\($0)" } ?? "",
            (advertisement.txPower ?? data.txPowerLevel).map { "\($0)" } ?? "",
            "\(advertisement.isConnectable)",
            data.serviceUUIDs.map(\.description).joined(separator: " "),
            data.manufacturerData.map { "\($0.company)" } ?? "",
            DiscoveredDevice(advertisement, at: .zero).summary,
            advertisement.rawData.hexadecimal,
        ]
        return fields.map(quoted).joined(separator: ",")
    }

    /// The characters with which a formula begins in a spreadsheet. A device chooses its name, so
    /// text that begins with one of them and is not a number gets a space before it.
    private static let formulaCharacters: Set<Character> = ["=", "+", "-", "@"]

    private static func quoted(_ text: String) -> String {
        let isFormula =
            text.first.map(formulaCharacters.contains) ?? false && Double(text) == nil
        let safe = isFormula ? " " + text : text
        guard isFormula || safe.contains(where: { ",\"\n\r".contains($0) }) else { return safe }
        return "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
