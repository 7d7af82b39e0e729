// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("The live table of a scan") struct LiveScanTests {
    private struct Broken: Error {}

    private func liveScan(printingTo output: ScriptedAccessory.Recorder) -> LiveScan {
        let console = Console(
            isOutputTerminal: true,
            isRemarkTerminal: true,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { _ in }
        )
        return LiveScan(console: console, now: { .zero })
    }

    @Test("The last table shows all devices, and the cursor is restored after it")
    func showsWhatWasHeard() async throws {
        let output = ScriptedAccessory.Recorder()
        let scan = AsyncThrowingStream<Advertisement, any Error> { continuation in
            for value in UInt64(1)...3 {
                let address = DeviceAddress(value: value, kind: .random)
                continuation.yield(Advertisement(address: address, rssi: -60))
            }
            continuation.finish()
        }
        try await liveScan(printingTo: output).run(scan)
        let lines = output.lines
        #expect(lines.last == LiveArea.showCursor)
        #expect(lines.dropLast().last?.contains("3 devices") == true)
    }

    @Test("A scan that fails restores the cursor too")
    func endsOnFailure() async throws {
        let output = ScriptedAccessory.Recorder()
        let scan = AsyncThrowingStream<Advertisement, any Error> { $0.finish(throwing: Broken()) }
        await #expect(throws: Broken.self) {
            try await liveScan(printingTo: output).run(scan)
        }
        #expect(output.lines.last == LiveArea.showCursor)
    }
}
