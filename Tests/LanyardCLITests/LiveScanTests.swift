// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("The live table of a scan") struct LiveScanTests {
    private struct Broken: Error {}

    private func liveScan(
        printingTo output: ScriptedAccessory.Recorder,
        typing keys: [String] = []
    ) -> LiveScan {
        var console = Console(
            isOutputTerminal: true,
            isRemarkTerminal: true,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { _ in }
        )
        console.setRawInput = { output.note($0 ? "raw" : "cooked") }
        console.keys = {
            AsyncStream { feed in
                for key in keys { feed.yield(Array(key.utf8)) }
                feed.finish()
            }
        }
        return LiveScan(console: console, now: { .zero })
    }

    @Test("The last table shows all devices, and the terminal is restored")
    func showsWhatWasReceived() async throws {
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
        #expect(lines.first == "raw" && lines.last == "cooked")
        let end = try #require(lines.dropLast().last)
        #expect(end.hasPrefix(FullScreen.end + "NAME") && end.hasSuffix("\n3 devices\n"))
    }

    @Test("A scan that fails restores the terminal too")
    func endsOnFailure() async throws {
        let output = ScriptedAccessory.Recorder()
        let scan = AsyncThrowingStream<Advertisement, any Error> { $0.finish(throwing: Broken()) }
        await #expect(throws: Broken.self) {
            try await liveScan(printingTo: output).run(scan)
        }
        #expect(output.lines.suffix(2) == [FullScreen.end, "cooked"])
    }

    @Test("q ends the display before the scan has ended", .timeLimit(.minutes(1)))
    func quits() async throws {
        let output = ScriptedAccessory.Recorder()
        let (scan, feed) = AsyncThrowingStream<Advertisement, any Error>.makeStream()
        feed.yield(Advertisement(address: DeviceAddress(value: 1, kind: .random), rssi: -60))
        try await liveScan(printingTo: output, typing: ["s", "q"]).run(scan)
        #expect(output.lines.last == "cooked")
    }
}
