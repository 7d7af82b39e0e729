// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import ProcessTestSupport
import Testing

/// Streams of values through bluetoothd, for an app of ours and for a program on bleak.
@Suite(.machines) struct DaemonThroughputTests {
    /// The number of notifications after which the accessory waits for the client: the socket of
    /// bluetoothd has room for two to three times as many, and Linux drops those that do not fit.
    fileprivate static let burst = 100
    /// The number of values in each measurement, a multiple of `burst`; `nil` if nothing is
    /// measured.
    private static let measuredCount =
        ProcessInfo.processInfo.environment["LANYARD_BLUEZ_THROUGHPUT"].flatMap(Int.init)

    @Test(
        "All values of a stream arrive in order, in both directions",
        arguments: Setting.latestOnly
    )
    func streams(_ setting: Setting) async throws {
        let count = Self.measuredCount ?? Self.burst
        try #require(count.isMultiple(of: Self.burst))
        let roundCount = Self.measuredCount == nil ? 1 : 3
        try await withKernel(setting, as: .central, "daemon: streams") { fixture in
            let accessory = try await DaemonAccessory(in: fixture)
            try await fixture.bluez.powerOn()
            var table = StreamTable()
            for _ in 1...roundCount {
                for client in StreamClient.allCases {
                    let streams = try await ValueStreams(from: client, to: accessory, in: fixture)
                    for length in [20, 244] {
                        table.add(try await streams.write(count, length: length))
                        table.add(try await streams.notify(count, length: length))
                    }
                    try await streams.end()
                }
            }
            if Self.measuredCount != nil { print(table.text) }
        }
    }
}

/// The clients of the streams.
enum StreamClient: String, CaseIterable, Sendable {
    case bleak
    case ours = "Lanyard"

    /// A shell command that prints the number of the client's process.
    fileprivate var processNumber: String {
        switch self {
        case .bleak: "grep -l '[b]leak_client' /proc/[0-9]*/cmdline | cut -d/ -f3"
        case .ours: "pidof daemon-program"
        }
    }
}

/// A program in the machine that takes commands and prints lines.
private protocol StreamProgram: Sendable {
    func perform(_ command: String) async throws
    @discardableResult
    func prints(_ text: String, within limit: Duration) async throws -> String
    func end() async throws
}

extension OtherClient: StreamProgram {}
extension DaemonProgram: StreamProgram {}

/// The streams between a connected client and an accessory.
private struct ValueStreams {
    let client: StreamClient
    let program: any StreamProgram
    let accessory: DaemonAccessory
    let link: Link
    let bluez: BlueZ

    /// Starts a client, and connects it.
    init(from client: StreamClient, to accessory: DaemonAccessory, in fixture: KernelFixture)
        async throws
    {
        (self.client, self.accessory, bluez) = (client, accessory, fixture.bluez)
        switch client {
        case .bleak:
            let other = try await OtherClient(.bleak, in: fixture.bluez)
            try await other.connect(to: accessory)
            program = other
        case .ours:
            let ours = try await DaemonProgram(in: fixture.bluez)
            try await ours.connect(to: DaemonAccessory.name)
            program = ours
        }
        link = try await accessory.application.link()
    }

    /// Ends the client and its link.
    func end() async throws {
        try await program.end()
        try await accessory.application.disconnection(of: link)
        try await bluez.isAlone()
    }

    /// Makes the client write values without response.
    func write(_ count: Int, length: Int) async throws -> StreamTable.Entry {
        let uuid = DaemonAccessory.value.bluez
        return try await measure("write", count, length) {
            try await program.perform("send \(uuid) \(count) \(length)")
            var number: UInt32 = 0
            while number < count {
                for entry in try await accessory.application.written(accessory.value) {
                    #expect(entry.value.count == length)
                    try #require(entry.value.prefix(4).elementsEqual(bytes(of: number)))
                    number += 1
                }
            }
        }
    }

    /// Makes the accessory notify values.
    func notify(_ count: Int, length: Int) async throws -> StreamTable.Entry {
        let uuid = DaemonAccessory.ticker.bluez
        let burst = DaemonThroughputTests.burst
        try await program.perform("count \(uuid) \(burst)")
        try await program.prints("subscribed", within: DaemonProgram.limit)
        try await accessory.application.subscription(of: accessory.ticker, .notification)
        let entry = try await measure("notification", count, length) {
            for number in 0..<UInt32(count) {
                let value = bytes(of: number) + [UInt8](repeating: 0, count: length - 4)
                try await link.notify(value, of: accessory.ticker)
                guard (Int(number) + 1).isMultiple(of: burst) else { continue }
                try await program.prints("counted", within: Limits.discovery)
            }
        }
        try await program.perform("unsubscribe \(uuid)")
        try await accessory.application.subscription(of: accessory.ticker, nil)
        return entry
    }

    private func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private func measure(
        _ work: String,
        _ count: Int,
        _ length: Int,
        _ body: () async throws -> Void
    ) async throws -> StreamTable.Entry {
        let before = try await processorTimes()
        let start = ContinuousClock.now
        try await body()
        let duration = start.duration(to: .now)
        let after = try await processorTimes()
        return StreamTable.Entry(
            row: .init(work: work, length: length, client: client.rawValue),
            rate: Double(count) / (duration / .seconds(1)),
            processorTimes: zip(before, after).map { ($1 - $0) / Double(count) / 1_000 }
        )
    }

    /// Returns the CPU time of the client, of bluetoothd and of the bus so far, in nanoseconds.
    private func processorTimes() async throws -> [Double] {
        let sum = "awk '{ sum += $1 } END { print sum }'"
        let line = """
            for number in $(\(client.processNumber)) $(pidof bluetoothd) $(pidof dbus-daemon)
            do cat /proc/$number/task/*/schedstat | \(sum)
            done
            """
        let times = try await bluez.shell(line).split(separator: "\n").compactMap { Double($0) }
        try #require(times.count == 3)
        return times
    }
}
