// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import HCITransports
import JSONText
import Synchronization
import VirtualAdapters

/// A report on a controller: its manufacturer, its features and its buffers.
struct ControllerReport: Equatable, Sendable {
    let capabilities: ControllerCapabilities

    /// Returns the report, a paragraph for each topic, wrapped to the given number of columns.
    func lines(columns: Int) -> [String] {
        let features = AssignedNumbers.names(of: capabilities.leFeatures)
        let texts = [version, links, advertising, lists].map { [$0] } + [features]
        let titles = ["controller", "links", "advertising", "lists", "features"]
        return zip(titles, texts).flatMap { title, parts in
            Self.paragraph(title, parts.filter { !$0.isEmpty }, columns: columns)
        }
    }

    private var version: String {
        let version = capabilities.version
        return "Bluetooth \(version.linkLayerVersion), \(Self.maker(version.company))"
    }

    private var links: String {
        let count = capabilities.aclPacketCount
        let buffers = "\(count) \(count == 1 ? "buffer" : "buffers")"
        let onAir = capabilities.maximumDataLength.map { Int($0.transmitBytes) } ?? 27
        return "\(buffers) of \(capabilities.aclPacketLength) bytes, "
            + "\(onAir) bytes in a packet on the air"
    }

    private var advertising: String {
        let sets = capabilities.advertisingSetCount
        return "\(sets) \(sets == 1 ? "set" : "sets") at once, "
            + "up to \(capabilities.maximumAdvertisingDataLength) bytes"
    }

    private var lists: String {
        "\(capabilities.filterAcceptListSize) in the Filter Accept List, "
            + "\(capabilities.resolvingListSize) in the resolving list"
    }

    static func maker(_ company: UInt16) -> String {
        AssignedNumbers.name(ofCompany: company) ?? "company \(company)"
    }

    /// Returns a title and parts separated by commas, wrapped to the given number of columns. A
    /// part that is longer than a line is wrapped between its words.
    static func paragraph(_ title: String, _ parts: [String], columns: Int) -> [String] {
        let margin = String(repeating: " ", count: indentation + titleColumns)
        var lines: [String] = []
        var line =
            String(repeating: " ", count: indentation)
            + TerminalColumns.fit(title + ":", to: titleColumns)
        let pieces = parts.enumerated().flatMap { index, part in
            let piece = part + (index == parts.count - 1 ? "" : ",")
            let fits = margin.count + TerminalColumns.count(piece) <= columns
            return fits ? [piece] : piece.split(separator: " ").map(String.init)
        }
        for piece in pieces {
            if TerminalColumns.count(line) > margin.count,
                TerminalColumns.count(line) + 1 + TerminalColumns.count(piece) > columns
            {
                lines.append(line)
                line = margin
            }
            line += (TerminalColumns.count(line) > margin.count ? " " : "") + piece
        }
        return parts.isEmpty ? [] : lines + [line]
    }

    private static let indentation = 4
    private static let titleColumns = 13

    var json: JSON {
        let version = capabilities.version
        return .object([
            .init("version", .string(version.linkLayerVersion.description)),
            .init("hciVersion", .string(version.hciVersion.description)),
            .init("company", .integer(Int(version.company))),
            .init("manufacturer", .string(Self.maker(version.company))),
            .init("revision", .integer(Int(version.linkLayerSubversion))),
            .init("hciRevision", .integer(Int(version.hciSubversion))),
            .init("publicAddress", .string(orNull: capabilities.publicAddress?.description)),
            .init("leFeatures", .array(features)),
            .init("aclPacketLength", .integer(capabilities.aclPacketLength)),
            .init("aclPacketCount", .integer(capabilities.aclPacketCount)),
            .init("maximumDataLength", .integer(orNull: dataLength)),
            .init("filterAcceptListSize", .integer(capabilities.filterAcceptListSize)),
            .init("resolvingListSize", .integer(capabilities.resolvingListSize)),
            .init("advertisingSets", .integer(capabilities.advertisingSetCount)),
            .init(
                "advertisingDataLength",
                .integer(capabilities.maximumAdvertisingDataLength)
            ),
        ])
    }

    private var features: [JSON] {
        AssignedNumbers.names(of: capabilities.leFeatures).map { .string($0) }
    }

    private var dataLength: Int? {
        capabilities.maximumDataLength.map { Int($0.transmitBytes) }
    }
}

/// The outcome of opening an adapter and reading its controller's capabilities.
enum AdapterAnswer: Equatable, Sendable {
    case controller(ControllerReport)
    case failure(ProgramFailure)

    /// Opens an adapter, resets it, reads its capabilities, and closes it.
    static func ask(
        _ adapter: SystemAdapter,
        _ limits: StepLimits,
        _ console: Console
    ) async -> AdapterAnswer {
        let session = AdapterSession(
            adapter: .reached(.hci(index: adapter.index)),
            traceFile: nil,
            limits: limits,
            console: console
        )
        let report = Mutex<ControllerReport?>(nil)
        do {
            try await session.withHost { host in
                let capabilities = await host.capabilities
                report.withLock { $0 = capabilities.map { ControllerReport(capabilities: $0) } }
            }
        } catch {
            return .failure(ProgramFailure(error, during: "opening \(adapter.name)"))
        }
        guard let report = report.withLock({ $0 }) else {
            return .failure(
                ProgramFailure(
                    .adapterUnavailable,
                    "the controller failed before its capabilities were read"
                )
            )
        }
        return .controller(report)
    }

    /// Returns the lines that a list of adapters shows below the line of the adapter.
    func lines(columns: Int) -> [String] {
        switch self {
        case .controller(let report): report.lines(columns: columns)
        case .failure(let failure):
            ControllerReport.paragraph("refused", [failure.happened], columns: columns)
                + (failure.advice.isEmpty
                    ? []
                    : ControllerReport.paragraph("remedy", [failure.advice], columns: columns))
        }
    }
}
