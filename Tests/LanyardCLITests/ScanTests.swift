// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("Scan output") struct ScanTests {
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

    @Test("A line has all fields of an advertisement, escaped")
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

    @Test("A line marks an empty advertisement")
    func printsEmptyLines() {
        #expect(Self.advertisement(rssi: nil).line == "C4:F0:00:00:00:01/random  -         -  -")
    }

    @Test("A device with unchanged data and another signal strength is not printed again")
    func printsOnlyNews() {
        var lines = ScanLines()
        #expect(lines.line(for: Self.advertisement(rssi: -60)) != nil)
        #expect(lines.line(for: Self.advertisement(rssi: -40)) == nil)
        #expect(lines.line(for: Self.advertisement(2, rssi: -60)) != nil)
        #expect(lines.line(for: Self.advertisement(hex: Self.full)) != nil)
        #expect(lines.line(for: Self.advertisement(rssi: -40)) != nil)
    }

    @Test("JSON has all fields, the raw data included")
    func printsJSON() {
        let text =
            #"{"address":"C4:F0:00:00:00:01","addressType":"random","name":"Lamp\u001b","#
            + #""rssi":-60,"txPower":null,"connectable":true,"services":["180D","180F"],"#
            + #""serviceData":{},"manufacturerData":[{"company":89,"data":"01"}],"#
            + #""data":"06094c616d701b05030d180f1804ff590001"}"#
        #expect(Self.advertisement(hex: Self.full).json.compact == text)
    }

    @Test("Devices are sorted by smoothed signal strength")
    func sortsByStrength() {
        var values = DiscoveredDevices()
        values.receive(Self.advertisement(1, rssi: -80), at: .zero)
        values.receive(Self.advertisement(2, rssi: -60), at: .zero)
        values.receive(Self.advertisement(3, rssi: nil), at: .zero)
        #expect(values.sorted.map(\.address.value) == [2, 1, 3])
        values.receive(Self.advertisement(2, rssi: -100), at: .zero)
        #expect(values.sorted.map(\.rssi) == [-70, -80, nil])
        #expect(values.count == 3)
    }

    @Test("Fields that a later advertisement leaves out keep their values")
    func keepsFields() {
        var device = DiscoveredDevice(Self.advertisement(hex: Self.full), at: .zero)
        device.update(with: Self.advertisement(rssi: nil), at: Self.seconds(2))
        #expect(device.name == "Lamp\\u{1B}")
        #expect(device.summary == "Heart Rate, Battery")
        #expect(device.rssi == -60)
        #expect(device.lastSeen == Self.seconds(2))
    }

    @Test("Without services, the manufacturer identifies a device")
    func namesTheMaker() {
        let apple = DiscoveredDevice(Self.advertisement(hex: "03ff4c00"), at: .zero)
        #expect(apple.summary == "Apple, Inc.")
        let stranger = DiscoveredDevice(Self.advertisement(hex: "03ffcdab"), at: .zero)
        #expect(stranger.summary == "company 43981")
    }

    @Test("A full list drops the device that was not received for longest")
    func boundsTheBoard() {
        var values = DiscoveredDevices()
        for index in 0...DiscoveredDevices.deviceLimit {
            values.receive(Self.advertisement(UInt64(index)), at: Self.seconds(Int64(index)))
        }
        #expect(values.count == DiscoveredDevices.deviceLimit)
        #expect(!values.sorted.contains { $0.address.value == 0 })
    }

    @Test("The table fits its terminal to the column")
    func drawsTable() {
        let table = ScanTable(size: .init(columns: 80, rows: 24))
        let known = DiscoveredDevice(Self.advertisement(hex: Self.full), at: .zero)
        let weak = DiscoveredDevice(Self.advertisement(2, rssi: -90), at: Self.seconds(70))
        let expected = [
            "NAME              IDENTIFIER                SIGNAL     SERVICES           SEEN  ",
            "Lamp\\u{1B}        C4:F0:00:00:00:01/random  ▂▄▆  -60   Heart Rate, Batt…  2 min ",
            "                  00:00:00:00:00:02/random  ▂    -90                      1 min ",
            "2 devices. Ctrl-C ends.",
        ]
        #expect(table.lines([known, weak], now: Self.seconds(130)) == expected)
    }

    @Test("No line is wider, and the table is not higher, than the terminal")
    func fitsAnyTerminal() {
        let devices = (0..<50).map {
            DiscoveredDevice(Self.advertisement(UInt64($0), hex: Self.full), at: .zero)
        }
        for columns in 1...120 {
            for rows in [1, 2, 3, 4, 24, 100] {
                let table = ScanTable(size: .init(columns: columns, rows: rows))
                let lines = table.lines(devices, now: .zero)
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

    @Test("Redrawing starts at the first line and erases the lines below")
    func redraws() {
        var area = LiveArea()
        #expect(area.draw(["a", "b"]) == "\u{1B}[?25l\r\u{1B}[2Ka\n\r\u{1B}[2Kb\n\u{1B}[J")
        #expect(area.draw(["c"]) == "\u{1B}[2A\r\u{1B}[2Kc\n\u{1B}[J")
        #expect(area.end() == "\u{1B}[?25h")
    }
}
