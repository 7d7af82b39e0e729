// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import JSONText

/// The lines of a scan whose output is not a terminal: one for each new device, and one for each
/// change of its name or summary.
struct ScanLines: Sendable {
    private var lastWords: [DeviceAddress: String] = [:]

    /// The maximum number of devices that are remembered. When it is reached, all are forgotten at
    /// the next new line, and may be printed again.
    static let deviceLimit = 10_000

    /// Returns the line to print; `nil` if the name and the summary of the device have not changed.
    mutating func line(for advertisement: Advertisement) -> String? {
        let words = advertisement.words
        guard lastWords[advertisement.address] != words else { return nil }
        if lastWords.count >= Self.deviceLimit { lastWords = [:] }
        lastWords[advertisement.address] = words
        return advertisement.line
    }
}

extension Advertisement {
    /// The advertisement on one line, for programs and files.
    var line: String {
        let strength = rssi.map { "\($0) dBm" } ?? "-"
        return [
            TerminalColumns.fit(AddressText.describe(address), to: 24),
            TerminalColumns.fit(strength, to: 8),
            words,
        ].joined(separator: "  ")
    }

    /// Returns the advertisement on one line of a terminal. On a narrow terminal, the name takes
    /// the place of the address, and the end of a long line is left out.
    func line(columns: Int) -> String {
        guard columns < ScanTable.wideColumns else { return line }
        let strength = TerminalColumns.fit(rssi.map { "\($0) dBm" } ?? "-", to: 8)
        let device = data.printableName.map { "\"\($0)\"" } ?? AddressText.describe(address)
        return TerminalColumns.truncate("\(strength)  \(device)  \(summary)", to: columns)
    }

    /// The contents of the advertisement.
    fileprivate var words: String {
        let name = data.printableName.map { "\"\($0)\"" } ?? "-"
        return "\(name)  \(summary.isEmpty ? "-" : summary)"
    }

    /// The names of the services, or other data that identifies the device; empty if there are
    /// none.
    private var summary: String { DiscoveredDevice(self, at: .zero).summary }

    /// The advertisement as JSON.
    var json: JSON {
        .object([
            .init("address", .string(address.description)),
            .init("addressType", .string(AddressText.name(of: address.kind))),
            .init("name", .string(orNull: data.localName)),
            .init("rssi", .integer(orNull: rssi)),
            .init("txPower", .integer(orNull: txPower ?? data.txPowerLevel)),
            .init("connectable", .bool(isConnectable)),
            .init("services", .array(data.serviceUUIDs.map { .string($0.description) })),
            .init("serviceData", serviceDataJSON),
            .init("manufacturerData", manufacturerDataJSON),
            .init("meaning", .string(orNull: summary.isEmpty ? nil : summary)),
            .init("beacon", BeaconContents(data)?.json ?? .null),
            .init("data", .bytes(rawData)),
        ])
    }

    private var serviceDataJSON: JSON {
        let sorted = data.serviceData.sorted { $0.key.description < $1.key.description }
        return .object(sorted.map { .init($0.key.description, .bytes($0.value)) })
    }

    private var manufacturerDataJSON: JSON {
        .array(
            data.allManufacturerData.map { data in
                .object([
                    .init("company", .integer(Int(data.company))),
                    .init("data", .bytes(data.bytes)),
                ])
            }
        )
    }
}
