// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText

/// The page of a run: one file that loads nothing else.
struct BuildingPage {
    private let record: BuildingRecord
    private let checks: BuildingChecks

    init(_ record: BuildingRecord, _ checks: BuildingChecks) {
        (self.record, self.checks) = (record, checks)
    }

    /// Writes the page to a file.
    ///
    /// - Throws: The error of the file system.
    func write(to file: String) throws {
        try Data(html.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }

    var html: String {
        var html = Self.text(PackageResources.building_html)
        for (part, text) in [("style", Self.style), ("data", data), ("script", Self.script)] {
            html = html.replacingOccurrences(of: "{{\(part)}}", with: text)
        }
        return html
    }

    // The files of the folder Page. `Scripts/check-page` reads the order of the scripts here.
    private static let style = text(PackageResources.building_css)
    private static let script = [
        text(PackageResources.building_model_js),
        text(PackageResources.building_plan_js),
        text(PackageResources.building_lanes_js),
        text(PackageResources.building_start_js),
    ].joined(separator: "\n")

    private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }

    /// Compact JSON without a `<`, so that it cannot end the element that holds it. In JSON, a `<`
    /// is in strings only, where it has an escape.
    private var data: String {
        let json = JSON.object([
            .init("seed", .integer(Int(clamping: record.seed))),
            .init("seconds", Self.json(record.length)),
            .init("sampleInterval", .integer(record.sampleInterval)),
            .init("size", .array([Self.json(FloorPlan.width), Self.json(FloorPlan.depth)])),
            .init(
                "room",
                .array([Self.json(FloorPlan.roomWidth), Self.json(FloorPlan.roomDepth)])
            ),
            .init("rooms", .array(FloorPlan.rooms.map(Self.json))),
            .init("devices", .array(record.devices.map(Self.json))),
            .init("outages", .array(record.outages.map(Self.json))),
            .init("lines", .array(record.lines.map(Self.json))),
            .init("checks", .array(checks.checks.map(Self.json))),
        ])
        return json.compact.replacingOccurrences(of: "<", with: "\\u003c")
    }
}

// The parts of the data.
extension BuildingPage {
    /// Returns the number, rounded to two digits after the point.
    private static func json(_ number: Double) -> JSON {
        .number((number * 100).rounded() / 100)
    }

    private static func json(_ room: FloorPlan.Room) -> JSON {
        .object([
            .init("name", .string(room.name)),
            .init("x", json(room.west)),
            .init("y", json(room.south)),
            .init("middle", .array([json(room.middle.x), json(room.middle.y)])),
            .init("door", .array([json(room.door.x), json(room.door.y)])),
        ])
    }

    private static func json(_ device: BuildingRecord.Device) -> JSON {
        .object([
            .init("name", .string(device.name)),
            .init("walks", .bool(device.walks)),
            .init("rooms", .array(device.rooms.map { .integer($0) })),
            .init(
                "path",
                .array(
                    device.path.map {
                        .array([json($0.time), json($0.position.x), json($0.position.y)])
                    }
                )
            ),
            .init(
                "links",
                .array(
                    device.links.map { .array([json($0.from), json($0.to), .integer($0.gateway)]) }
                )
            ),
            .init(
                "signals",
                .array(device.signals.map { $0.map { .integer($0) } ?? .null })
            ),
            .init("pauses", .array(device.pauses.map { .array([json($0.from), json($0.to)]) })),
            .init("values", .integer(device.valueCount)),
            .init("changes", .integer(device.changeCount)),
        ])
    }

    private static func json(_ outage: BuildingRecord.Outage) -> JSON {
        .object([
            .init("gateway", .integer(outage.gateway)),
            .init("kind", .string(outage.kind.rawValue)),
            .init("from", json(outage.from)),
            .init("to", json(outage.to)),
        ])
    }

    private static func json(_ line: BuildingRecord.Line) -> JSON {
        .array([json(line.time), .string(line.text)])
    }

    private static func json(_ check: BuildingChecks.Check) -> JSON {
        .object([
            .init("claim", .string(check.claim)),
            .init("figure", .string(check.figure)),
            .init("kept", .bool(check.isKept)),
        ])
    }
}
