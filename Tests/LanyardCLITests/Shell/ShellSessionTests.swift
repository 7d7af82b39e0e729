// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import Testing

@testable import LanyardCLI

/// The link to an accessory that does not answer a disconnection.
extension ScriptedAccessory: PeripheralLink {
    var protection: LinkSecurity? { nil }
    var bond: AccessoryBond? { nil }

    func secure(_ policy: Pairing.Policy) async throws {}
    func readRSSI() async throws -> Int? { nil }
    func endReason() async throws -> String { throw CancellationError() }
    func disconnect() async throws { try await Task.sleep(for: .seconds(3600)) }
}

@Suite("The session of a shell") struct ShellSessionTests {
    private struct EmptyAdapter: CentralAdapter {
        var currentTime: Instant { .zero }

        func discoveries(
            for filter: ScanFilter,
            parameters: ScanParameters,
            reportsDuplicates: Bool
        ) -> Discoveries {
            Discoveries { $0.finish() }
        }

        func link(to address: DeviceAddress) async throws -> any PeripheralLink {
            throw CancellationError()
        }

        func accessoryBonds() async -> [AccessoryBond] { [] }
        func remove(_ bond: AccessoryBond) async {}
    }

    @Test("A link stays the link of the shell if its disconnection times out")
    func slowDisconnection() async throws {
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { _ in }
        )
        let options = try AdapterOptions.parse(["--adapter", "virtual", "--timeout", "0.01"])
        let session = try ShellSetup(options, on: console).session(on: EmptyAdapter())
        let link = ScriptedAccessory.sample
        session.change { $0.connection = .init(number: 1, link: link, name: "Lamp") }
        let failure = await #expect(throws: ProgramFailure.self) { try await session.disconnect() }
        #expect(failure?.status == .timedOut)
        #expect(try session.connection().link.address == link.address)
    }
}
