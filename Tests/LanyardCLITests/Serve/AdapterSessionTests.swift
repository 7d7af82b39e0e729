// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Foundation
import HCITransports
import Testing
import VirtualAdapters

@testable import LanyardCLI

@Suite("The adapter of a command")
struct AdapterSessionTests {
    /// An adapter that receives a beacon.
    private struct BeaconAdapter: CentralAdapter {
        let beacon: Advertisement

        var currentTime: Instant { .zero }

        func discoveries(
            for filter: ScanFilter,
            parameters: ScanParameters,
            reportsDuplicates: Bool
        ) -> Discoveries {
            Discoveries { feed in
                feed.yield(beacon)
                feed.finish()
            }
        }

        func link(to address: DeviceAddress) async throws -> any PeripheralLink {
            throw CancellationError()
        }

        func accessoryBonds() async -> [AccessoryBond] { [] }
        func remove(_ bond: AccessoryBond) async {}
    }

    @Test("If a connection to a beacon fails, the error states that the beacon only broadcasts")
    func beacon() async throws {
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { _ in }
        )
        let session = AdapterSession(
            adapter: .virtual(scenario: nil),
            traceFile: nil,
            limits: StepLimits(),
            console: console
        )
        for isConnectable in [false, true] {
            let beacon = Advertisement(
                address: DeviceAddress(value: 0xC4F0_0000_0001, kind: .random),
                isConnectable: isConnectable
            )
            let isConnecting = OneTimeEvent()
            defer { isConnecting.occur() }
            let failure = await #expect(throws: ProgramFailure.self) {
                try await TimeLimit.passing(at: isConnecting) {
                    _ = try await session.connect(
                        to: Target("C4:F0:00:00:00:01"),
                        on: BeaconAdapter(beacon: beacon)
                    ) { _ in
                        isConnecting.occur()
                        try await Task.sleep(for: .seconds(3_600))
                    }
                }
            }
            #expect(failure?.status == (isConnectable ? .timedOut : .refused))
            #expect(failure?.happened.contains("it only broadcasts") == !isConnectable)
        }
    }

    @Test("The radio is closed to other hosts if the packet log cannot be made")
    func closesRadio() async throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString.prefix(8)).socket"
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { remark in
                // The radio is open before the packet log is made.
                guard remark.contains("other hosts join this radio") else { return }
                #expect(FileManager.default.fileExists(atPath: path))
            }
        )
        let session = AdapterSession(
            adapter: .virtual(scenario: nil),
            traceFile: "/dev/null/x",
            limits: StepLimits(),
            console: console,
            airAddresses: [.unix(path: path)]
        )
        let failure = try await #require(throws: ProgramFailure.self) {
            try await session.withHost { _ in }
        }
        #expect(failure.happened.contains("trace file"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("If an adapter does not answer, the advice is about the adapter")
    func silentAdapter() async throws {
        var (near, far) = (-1 as Int32, -1 as Int32)
        var name = [CChar](repeating: 0, count: 128)
        try #require(openpty(&near, &far, &name, nil, nil) == 0)
        defer {
            close(near)
            close(far)
        }
        let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { _ in }
        )
        let session = AdapterSession(
            adapter: try AdapterChoice("serial:\(path)"),
            traceFile: nil,
            limits: StepLimits(),
            console: console
        )
        let isTimeOver = OneTimeEvent()
        isTimeOver.occur()
        let failure = await #expect(throws: ProgramFailure.self) {
            try await TimeLimit.passing(at: isTimeOver) {
                try await session.withHost { _ in }
            }
        }
        #expect(failure?.status == .timedOut)
        #expect(failure?.advice.hasPrefix("check that a Bluetooth controller is behind") == true)
    }
}
