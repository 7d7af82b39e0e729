// SPDX-License-Identifier: Apache-2.0

import BluetoothRadios
import BluetoothTypes
import JSONText

/// The radios and the devices that they receive, at one time.
struct RadioTable: Sendable {
    struct Device: Sendable {
        let address: DeviceAddress
        let name: String?
        /// The signal in dBm by the number of the radio.
        let signals: [Int: Int]
        /// The number of the radio that has the link to the device; `nil` without a link.
        var radio: Int?
        var reason: PathReason?
    }

    let report: RadioReport
    let devices: [Device]

    /// Reads the current state of the radios.
    init(_ received: ReceivedDevices, of radios: RadioGroup) async {
        let (all, connected) = received.all
        let report = radios.report
        var devices: [Device] = []
        for (address, name) in all {
            let path = address == connected ? report.peers.first : nil
            let signals = await radios.signals(of: address)
            guard path != nil || !signals.isEmpty else { continue }
            devices.append(
                Device(
                    address: address,
                    name: name,
                    signals: signals,
                    radio: path?.radio,
                    reason: path?.reason
                )
            )
        }
        self.init(report, devices)
    }

    /// Creates a table. The connected device is first, then the devices with the strongest signals.
    init(_ report: RadioReport, _ devices: [Device]) {
        self.report = report
        self.devices = devices.sorted { left, right in
            let (first, second) = (left.signals.values.max(), right.signals.values.max())
            guard left.radio == nil, right.radio == nil else { return left.radio != nil }
            return (first ?? .min, left.address.description)
                > (second ?? .min, right.address.description)
        }
    }

    /// Returns the table: a line for each radio, the titles, and a line for each device.
    func lines(columns: Int) -> [String] {
        let titles = report.radios.indices.map { "radio \($0 + 1)" }
        let radios = zip(titles, report.radios).map { title, radio in
            "\(title)  \(TerminalText.escape(radio.name)): \(Self.describe(radio))"
        }
        let width = Self.signalColumns
        let header =
            titles.map { TerminalColumns.fit($0, to: width) }.joined() + "device"
        let rows = devices.map { device in
            let signals = report.radios.indices.map { radio in
                let mark = device.radio == radio ? "*" : ""
                let text =
                    device.signals[radio].map { "\($0)\(mark)" } ?? (mark.isEmpty ? "·" : mark)
                return TerminalColumns.fit(text, to: width)
            }
            let name = device.name.map { " " + TerminalText.escape($0) } ?? ""
            let reason = device.reason.map { ", linked: \($0.text)" } ?? ""
            return signals.joined() + AddressText.describe(device.address) + name + reason
        }
        return (radios + [header] + rows).map { TerminalColumns.truncate($0, to: columns) }
    }

    private static let signalColumns = 9

    private static func describe(_ radio: RadioReport.Radio) -> String {
        guard radio.isUsable else { return "not ready" }
        let links = "\(radio.linkCount) \(radio.linkCount == 1 ? "link" : "links")"
        return links + (radio.slotLimit.map { " of at most \($0)" } ?? "")
    }

    var json: JSON {
        .object([
            .init("radios", .array(report.radios.map(Self.json))),
            .init("devices", .array(devices.map(json))),
        ])
    }

    private static func json(_ radio: RadioReport.Radio) -> JSON {
        .object([
            .init("name", .string(radio.name)),
            .init("isReady", .bool(radio.isUsable)),
            .init("links", .integer(radio.linkCount)),
            .init("linkLimit", .integer(orNull: radio.slotLimit)),
        ])
    }

    private func json(_ device: Device) -> JSON {
        let signals = report.radios.indices.map { JSON.integer(orNull: device.signals[$0]) }
        return .object([
            .init("address", .string(device.address.value.description)),
            .init("name", .string(orNull: device.name)),
            .init("rssi", .array(signals)),
            .init("radio", .string(orNull: device.radio.map { report.radios[$0].name })),
            .init("reason", .string(orNull: device.reason?.rawValue)),
        ])
    }
}

extension PathReason {
    /// The reason, for a person.
    fileprivate var text: String {
        switch self {
        case .onlyRadio: "the only radio that is ready"
        case .strongest: "the strongest signal"
        case .firstToConnect: "the first that connected"
        case .pinned: "chosen by a person"
        case .moved: "it took over from another radio"
        }
    }
}
