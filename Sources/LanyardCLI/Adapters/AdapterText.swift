// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import JSONText

/// The text that describes an adapter, for people and for programs.
enum AdapterText {
    /// Returns the columns of a list: name, address, attachment, status.
    static func cells(_ adapter: SystemAdapter) -> [String] {
        [
            adapter.name, adapter.address?.description ?? "no address", attachment(adapter),
            status(adapter),
        ]
    }

    /// Returns the bus of the adapter, with the product name of a USB device.
    static func attachment(_ adapter: SystemAdapter) -> String {
        let bus = adapter.bus.map(name) ?? "an unknown bus"
        return bus + (adapter.product.map { " (\(TerminalText.escape($0)))" } ?? "")
    }

    /// Returns the state of the adapter: whether it is free, and if not, why.
    static func status(_ adapter: SystemAdapter) -> String {
        if adapter.supportsLowEnergy == false { return "does not support Low Energy" }
        if let radioSwitch = adapter.radioSwitch, radioSwitch.isOff {
            return radioSwitch.isHardBlocked
                ? "switched off by a switch, a key or the firmware" : "switched off (rfkill)"
        }
        return switch adapter.state {
        case .down: "free"
        case .settingUp: "being set up by the kernel"
        case .taken: "taken by \(holders(adapter, orElse: "another program", by: " or "))"
        case .up:
            "used by \(holders(adapter, orElse: "the kernel", by: " and "))"
                + links(adapter.connections)
        }
    }

    private static func holders(
        _ adapter: SystemAdapter,
        orElse unknown: String,
        by word: String
    ) -> String {
        guard !adapter.holders.isEmpty else { return unknown }
        return adapter.holders.map { TerminalText.escape($0.description) }.joined(separator: word)
    }

    private static func links(_ count: Int) -> String {
        switch count {
        case 0: ", no links"
        case 1: ", 1 link"
        default: ", \(count) links"
        }
    }

    static func name(of bus: SystemAdapterRecord.Bus) -> String {
        switch bus {
        case .virtual: "virtual"
        case .usb: "USB"
        case .pcCard: "PC Card"
        case .uart: "UART"
        case .pci: "PCI"
        case .sdio: "SDIO"
        case .spi: "SPI"
        case .i2c: "I2C"
        case .smd: "shared memory"
        }
    }

    /// Returns a line for each row of cells, in columns as wide as their widest cell. The last cell
    /// of a row is not padded.
    static func table(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.filter { column < $0.count - 1 }.map { TerminalColumns.count($0[column]) }.max()
                ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : TerminalColumns.fit(cell, to: widths[column])
            }.joined(separator: "  ")
        }
    }

    static func json(_ adapter: SystemAdapter, _ answer: AdapterAnswer? = nil) -> JSON {
        var members: [JSON.Member] = [
            .init("name", .string(adapter.name)),
            .init("adapter", .string(adapter.specification.description)),
            .init("address", .string(orNull: adapter.address?.description)),
            .init("bus", .string(orNull: adapter.bus.map { "\($0)" })),
            .init("product", .string(orNull: adapter.product)),
            .init("supportsLowEnergy", adapter.supportsLowEnergy.map { .bool($0) } ?? .null),
            .init("state", .string(adapter.state.rawValue)),
            .init("isSwitchedOff", .bool(adapter.radioSwitch?.isOff == true)),
            .init("mayBeTaken", .bool(adapter.mayBeTaken)),
            .init("holders", .array(adapter.holders.map(json))),
            .init("connections", .integer(adapter.connections)),
        ]
        switch answer {
        case nil: break
        case .controller(let report): members.append(.init("controller", report.json))
        case .failure(let failure): members.append(.init("failure", .string(failure.happened)))
        }
        return .object(members)
    }

    private static func json(_ process: SystemProcess) -> JSON {
        .object([
            .init("process", .integer(process.number)), .init("name", .string(process.name)),
        ])
    }
}
