// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite struct ScanTests {
    private static func advertisement(
        _ value: UInt64 = 0xC4F0_0000_0001,
        rssi: Int? = -60,
        hex: String = ""
    ) -> Advertisement {
        Advertisement(
            address: DeviceAddress(value: value, kind: .random),
            rssi: rssi,
            data: AdvertisingData([UInt8](hexadecimal: hex) ?? [])
        )
    }

    /// The name "Lamp" with an escape character, Heart Rate and Battery, Nordic's data 01.
    private static let full = "0609" + "4c616d701b" + "0503" + "0d180f18" + "04ff" + "590001"

    private static func seconds(_ count: Int64) -> Instant {
        Instant(nanoseconds: count * 1_000_000_000)
    }

    @Test("A line has all that matters, escaped")
    func printsLines() {
        let line = Self.advertisement(hex: Self.full).line
        #expect(
            line == "C4:F0:00:00:00:01/random  -60 dBm   \"Lamp\\u{1B}\"  Heart Rate, Battery"
        )
    }

    @Test("A name that is no UTF-8 shows its bytes")
    func printsInvalidNames() {
        let line = Self.advertisement(hex: "0308" + "41ff").line
        #expect(line.hasSuffix("\"A\\xFF\"  -"))
    }

    @Test("A line of a silent stranger says so")
    func printsEmptyLines() {
        #expect(Self.advertisement(rssi: nil).line == "C4:F0:00:00:00:01/random  -         -  -")
    }

    @Test("A device that says the same again is not printed again, however strong its signal")
    func printsOnlyNews() {
        var lines = ScanLines()
        #expect(lines.line(for: Self.advertisement(rssi: -60)) != nil)
        #expect(lines.line(for: Self.advertisement(rssi: -40)) == nil)
        #expect(lines.line(for: Self.advertisement(2, rssi: -60)) != nil)
        #expect(lines.line(for: Self.advertisement(hex: Self.full)) != nil)
        #expect(lines.line(for: Self.advertisement(rssi: -40)) != nil)
    }

    @Test("JSON has everything, the raw data included")
    func printsJSON() {
        let text =
            #"{"address":"C4:F0:00:00:00:01","addressType":"random","name":"Lamp\u001b","#
            + #""rssi":-60,"txPower":null,"connectable":true,"services":["180D","180F"],"#
            + #""serviceData":{},"manufacturerData":[{"company":89,"data":"01"}],"#
            + #""data":"06094c616d701b05030d180f1804ff590001"}"#
        #expect(Self.advertisement(hex: Self.full).json.compact == text)
    }

    @Test("The board shows the strongest first and smooths its measurements")
    func sortsByStrength() {
        var board = SightingBoard()
        board.receive(Self.advertisement(1, rssi: -80), at: .zero)
        board.receive(Self.advertisement(2, rssi: -60), at: .zero)
        board.receive(Self.advertisement(3, rssi: nil), at: .zero)
        #expect(board.sorted.map(\.address.value) == [2, 1, 3])
        board.receive(Self.advertisement(2, rssi: -100), at: .zero)
        #expect(board.sorted.map(\.rssi) == [-70, -80, nil])
        #expect(board.count == 3)
    }

    @Test("What a later advertisement leaves out still holds")
    func keepsWhatWasSaid() {
        var sighting = Sighting(Self.advertisement(hex: Self.full), at: .zero)
        sighting.update(with: Self.advertisement(rssi: nil), at: Self.seconds(2))
        #expect(sighting.name == "Lamp\\u{1B}")
        #expect(sighting.summary == "Heart Rate, Battery")
        #expect(sighting.rssi == -60)
        #expect(sighting.lastSeen == Self.seconds(2))
    }

    @Test("Without services the maker says what a device is")
    func namesTheMaker() {
        let apple = Sighting(Self.advertisement(hex: "03ff4c00"), at: .zero)
        #expect(apple.summary == "Apple, Inc.")
        let stranger = Sighting(Self.advertisement(hex: "03ffcdab"), at: .zero)
        #expect(stranger.summary == "company 43981")
    }

    @Test("A full board forgets who was not seen for longest")
    func boundsTheBoard() {
        var board = SightingBoard()
        for index in 0...SightingBoard.deviceLimit {
            board.receive(Self.advertisement(UInt64(index)), at: Self.seconds(Int64(index)))
        }
        #expect(board.count == SightingBoard.deviceLimit)
        #expect(!board.sorted.contains { $0.address.value == 0 })
    }

    @Test("The table fits its terminal to the column")
    func drawsTable() {
        let table = ScanTable(size: .init(columns: 80, rows: 24))
        let known = Sighting(Self.advertisement(hex: Self.full), at: .zero)
        let weak = Sighting(Self.advertisement(2, rssi: -90), at: Self.seconds(70))
        let expected = [
            "NAME              IDENTIFIER                SIGNAL     SERVICES           SEEN  ",
            "Lamp\\u{1B}        C4:F0:00:00:00:01/random  ▂▄▆  -60   Heart Rate, Batt…  2 min ",
            "                  00:00:00:00:00:02/random  ▂    -90                      1 min ",
            "2 devices. Ctrl-C ends.",
        ]
        #expect(table.lines([known, weak], now: Self.seconds(130)) == expected)
    }

    @Test("No line is ever wider, nor the table higher, than the terminal")
    func fitsAnyTerminal() {
        let sightings = (0..<50).map {
            Sighting(Self.advertisement(UInt64($0), hex: Self.full), at: .zero)
        }
        for columns in 1...120 {
            for rows in [1, 2, 3, 4, 24, 100] {
                let table = ScanTable(size: .init(columns: columns, rows: rows))
                let lines = table.lines(sightings, now: .zero)
                #expect(lines.allSatisfy { TerminalColumns.count($0) <= columns })
                #expect(lines.count < max(rows, 4))
            }
        }
    }

    @Test(
        "The bar rises with the signal",
        arguments: [(-40, "▂▄▆█"), (-60, "▂▄▆ "), (-75, "▂▄  "), (-90, "▂   "), (-100, "    ")]
    )
    func drawsBars(rssi: Int, bar: String) {
        #expect(SignalBar.text(rssi: rssi) == bar)
    }

    @Test("A redrawn area goes back to its first line and clears what is left below")
    func redraws() {
        var area = LiveArea()
        #expect(area.draw(["a", "b"]) == "\u{1B}[?25l\r\u{1B}[2Ka\n\r\u{1B}[2Kb\n\u{1B}[J")
        #expect(area.draw(["c"]) == "\u{1B}[2A\r\u{1B}[2Kc\n\u{1B}[J")
        #expect(area.end() == "\u{1B}[?25h")
    }
}
