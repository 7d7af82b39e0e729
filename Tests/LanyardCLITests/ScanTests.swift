// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Foundation
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

    @Test("A line has the address, the signal strength, the escaped name and the services")
    func printsLines() {
        let line = Self.advertisement(hex: Self.full).line
        #expect(
            line == "C4:F0:00:00:00:01/random  -60 dBm   \"Lamp\\u{1B}\"  Heart Rate, Battery"
        )
    }

    @Test("A name that is not UTF-8 shows its bytes")
    func printsInvalidNames() {
        let line = Self.advertisement(hex: "0308" + "41ff").line
        #expect(line.hasSuffix("\"A\\xFF\"  -"))
    }

    @Test("A line marks an empty advertisement")
    func printsEmptyLines() {
        #expect(Self.advertisement(rssi: nil).line == "C4:F0:00:00:00:01/random  -         -  -")
    }

    @Test("A device with unchanged data and another signal strength is not printed again")
    func printsOnlyChanges() {
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
            + #""meaning":"Heart Rate, Battery","beacon":null,"data":"06094c616d701b05030d180f1804ff590001"}"#
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

    @Test("A full list drops the device with the oldest advertisement")
    func boundsTheBoard() {
        var values = DiscoveredDevices()
        for index in 0...DiscoveredDevices.deviceLimit {
            values.receive(Self.advertisement(UInt64(index)), at: Self.seconds(Int64(index)))
        }
        #expect(values.count == DiscoveredDevices.deviceLimit)
        #expect(!values.sorted.contains { $0.address.value == 0 })
    }

    @Test("The rows of the table are as wide as the terminal")
    func drawsTable() {
        let table = ScanTable(size: .init(columns: 80, rows: 24))
        var view = ScanView()
        view.receive(Self.advertisement(hex: Self.full), at: .zero)
        view.receive(Self.advertisement(2, rssi: -90), at: Self.seconds(70))
        let expected = [
            "NAME              IDENTIFIER                SIGNAL     SERVICES           SEEN  ",
            "Lamp\\u{1B}        C4:F0:00:00:00:01/random  ▂▄▆  -60   Heart Rate, Batt…  2 min ",
            "                  00:00:00:00:00:02/random  ▂    -90                      1 min ",
            "2 devices, by signal. Keys: s sorts, f filters, p pauses, q quits, g plots",
        ]
        #expect(table.lines(view, now: Self.seconds(130)) == expected)
        let final = table.finalLines(view, now: Self.seconds(130))
        #expect(final == expected.dropLast() + ["2 devices"])
    }

    @Test("On a narrow terminal, the name stays, and columns of less use are left out")
    func drawsNarrowTable() {
        var view = ScanView()
        view.receive(Self.advertisement(hex: Self.full), at: .zero)
        let fifty = ScanTable(size: .init(columns: 50, rows: 24)).lines(view, now: .zero)
        #expect(fifty[1] == "Lamp\\u{1B}     C4:F0:00:00:00:01/random  ▂▄▆  -60 ")
        let thirty = ScanTable(size: .init(columns: 30, rows: 24)).lines(view, now: .zero)
        #expect(thirty[1] == "Lamp\\u{1B}           ▂▄▆  -60 ")
    }

    @Test("scan --name matches the beginning of a name in any case")
    func nameFilter() throws {
        let lamp = Self.advertisement(hex: Self.full)
        #expect(try ScanOptions.parse(["--name", "LAM"]).filter.matches(lamp))
        #expect(try !ScanOptions.parse(["--name", "amp"]).filter.matches(lamp))
    }

    @Test("At 40 columns, a device without a name has its address, and every key is named")
    func drawsFortyColumns() {
        var view = ScanView()
        for value in 1...8 as ClosedRange<UInt64> {
            view.receive(Self.advertisement(value, rssi: -90), at: .zero)
        }
        let table = ScanTable(size: .init(columns: 40, rows: 24))
        let lines = table.lines(view, now: .zero)
        #expect(lines[1] == "00:00:00:00:00:01/random       ▂    -90 ")
        #expect(lines.last == "8 devices, by signal. Keys: s f p q g")
        _ = view.receive(keys: [UInt8(ascii: "p")], at: .zero)
        #expect(table.lines(view, now: .zero).last == "8 devices, PAUSED. Keys: s f p q g")
    }

    @Test("A line of a scan fits a narrow terminal, with the name in place of the address")
    func narrowLine() throws {
        let lamp = Self.advertisement(hex: Self.full)
        #expect(lamp.line(columns: 200) == lamp.line)
        #expect(lamp.line(columns: 40) == #"-60 dBm   "Lamp\u{1B}"  Heart Rate, Bat…"#)
        let unnamed = Self.advertisement(2, rssi: -90)
        #expect(unnamed.line(columns: 40).hasPrefix("-90 dBm   00:00:00:00:00:02/random"))
        for columns in 1...60 {
            #expect(TerminalColumns.count(lamp.line(columns: columns)) <= columns)
        }
    }

    @Test("No line is wider than the terminal, and the table is higher only with fewer than 3 rows")
    func fitsAnyTerminal() {
        var view = ScanView()
        for value in 0..<50 as Range<UInt64> {
            view.receive(Self.advertisement(value, hex: Self.full), at: .zero)
        }
        for columns in 1...120 {
            for rows in [1, 2, 3, 4, 24, 100] {
                let table = ScanTable(size: .init(columns: columns, rows: rows))
                let lines = table.lines(view, now: .zero)
                #expect(lines.allSatisfy { TerminalColumns.count($0) <= columns })
                #expect(lines.count <= max(rows, 3))
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

@Suite("The live table of a scan and its keys") struct ScanViewTests {
    private static func named(_ value: UInt64, _ name: String, rssi: Int) -> Advertisement {
        let bytes = Array(name.utf8)
        return Advertisement(
            address: DeviceAddress(value: value, kind: .random),
            rssi: rssi,
            data: AdvertisingData([UInt8(bytes.count + 1), 9] + bytes)
        )
    }

    private static func seconds(_ count: Int64) -> Instant {
        Instant(nanoseconds: count * 1_000_000_000)
    }

    private func view() -> ScanView {
        var view = ScanView()
        view.receive(Self.named(1, "Lamp", rssi: -70), at: Self.seconds(3))
        view.receive(Self.named(2, "door", rssi: -60), at: Self.seconds(1))
        view.receive(Self.named(3, "Lock", rssi: -50), at: Self.seconds(2))
        return view
    }

    @discardableResult
    private func type(_ keys: String, into view: inout ScanView) -> Bool {
        view.receive(keys: Array(keys.utf8), at: Self.seconds(5))
    }

    @Test("s changes the order: by signal, by name, by time")
    func sorts() {
        var view = view()
        #expect(view.shown.map(\.name) == ["Lock", "door", "Lamp"])
        type("s", into: &view)
        #expect(view.shown.map(\.name) == ["door", "Lamp", "Lock"])
        type("s", into: &view)
        #expect(view.shown.map(\.name) == ["Lamp", "Lock", "door"])
        type("s", into: &view)
        #expect(view.order == .signal)
    }

    @Test("f and a text show the devices that contain it, and Esc shows all")
    func filters() {
        var view = view()
        type("fLO", into: &view)
        #expect(view.isFiltering && view.filter == "LO")
        let table = ScanTable(size: .init(columns: 80, rows: 24))
        #expect(table.lines(view, now: .zero).last == "filter: LO_  (Enter, Esc)")
        #expect(view.shown.map(\.name) == ["Lock"])
        type("\u{7F}\n", into: &view)
        #expect(!view.isFiltering && view.shown.map(\.name) == ["Lock", "Lamp"])
        #expect(view.total == 3)
        let footer = table.lines(view, now: .zero).last ?? ""
        #expect(footer.hasPrefix(#"3 devices, 1 not shown, by signal, filter "L"."#))
        type("\u{1B}", into: &view)
        #expect(view.filter.isEmpty && view.shown.count == 3)
        #expect(!type("fq", into: &view) && view.filter == "q")
    }

    @Test("p pauses the table, and p again shows the current state")
    func pauses() {
        var view = view()
        type("p", into: &view)
        view.receive(Self.named(4, "New", rssi: -40), at: Self.seconds(6))
        #expect(view.total == 3 && view.time(at: Self.seconds(9)) == Self.seconds(5))
        type("p", into: &view)
        #expect(view.total == 4 && view.time(at: Self.seconds(9)) == Self.seconds(9))
    }

    @Test("q quits, and arrows and unknown keys do nothing")
    func quits() {
        var view = view()
        #expect(!type("\u{1B}[A", into: &view) && !type("x", into: &view))
        #expect(type("q", into: &view))
    }

    @Test("The filter has a maximum length and no control characters")
    func limitsTheFilter() {
        var view = view()
        type("f" + String(repeating: "x", count: 100) + "\u{7}", into: &view)
        #expect(view.filter == String(repeating: "x", count: ScanView.filterLimit))
    }
}

@Suite("A scan that receives nothing") struct ScanSilenceTests {
    private func silence(hasFilter: Bool, _ remarks: ScriptedAccessory.Recorder) -> ScanSilence {
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { remarks.note($0) }
        )
        return ScanSilence(hasFilter: hasFilter, console: console)
    }

    @Test("A scan with a limit reports at its end that nothing was received, and what to check")
    func endsInSilence() {
        let remarks = ScriptedAccessory.Recorder()
        silence(hasFilter: true, remarks).report(after: .seconds(2))
        silence(hasFilter: false, remarks).report(after: .milliseconds(500))
        let received = silence(hasFilter: false, remarks)
        received.received.set()
        received.report(after: .seconds(2))
        #expect(
            remarks.lines == [
                "lanyard: no device was received in 2 s; "
                    + "the filters may hide devices: leave out --service, --name, --minimum-rssi "
                    + "and --discovery\n",
                "lanyard: no device was received in 0.5 s; check that a device nearby is on, "
                    + "advertises, and is not connected to another one\n",
            ]
        )
    }

    @Test("A scan without a limit reports once that nothing was received, and continues")
    func goesOn() async throws {
        let remarks = ScriptedAccessory.Recorder()
        let (limit, end) = (OneTimeEvent(), OneTimeEvent())
        let silence = silence(hasFilter: false, remarks)
        async let scan: Void = TimeLimit.passing(at: limit) {
            try await silence.report { await end.wait() }
        }
        limit.occur()
        await remarks.waitForLine()
        end.occur()
        try await scan
        #expect(remarks.lines.count == 1 && remarks.lines[0].contains("received in 10 s"))
    }
}

@Suite("Signal over time") struct SignalHistoryTests {
    @Test("A second has the mean of its measurements, and a gap has none")
    func means() {
        var history = SignalHistory()
        history.add(-60, at: Instant(nanoseconds: 10_100_000_000))
        history.add(-70, at: Instant(nanoseconds: 10_900_000_000))
        history.add(-40, at: Instant(nanoseconds: 12 * 1_000_000_000))
        #expect(
            history.levels(seconds: 4, until: Instant(nanoseconds: 13 * 1_000_000_000)) == [
                -65, nil, -40, nil,
            ]
        )
        #expect(
            history.levels(seconds: 1, until: Instant(nanoseconds: 13 * 1_000_000_000)) == [nil]
        )
        #expect(history.levels(seconds: 0, until: Instant(nanoseconds: 13 * 1_000_000_000)) == [])
    }

    @Test("Old seconds are dropped beyond the limit")
    func bound() {
        var history = SignalHistory()
        for second in 0..<Int64(1_000) {
            history.add(-50, at: Instant(nanoseconds: second * 1_000_000_000))
        }
        let levels = history.levels(
            seconds: 1_000,
            until: Instant(nanoseconds: 999 * 1_000_000_000)
        )
        #expect(levels.compactMap { $0 }.count == SignalHistory.entryLimit)
    }

    @Test("A stronger signal is a higher block, and the axis counts seconds back")
    func plots() {
        #expect(SignalPlot.text([-127, -95, -68, -41, 20, nil]) == "▁▁▄██·")
        #expect(SignalPlot.axis(seconds: 22) == "         -10         0")
        #expect(SignalPlot.axis(seconds: 0) == "")
    }

    @Test("The key g shows the plot, which is no wider than the terminal")
    func key() {
        var view = ScanView()
        let advertisement = Advertisement(
            address: DeviceAddress(value: 0xC4F0_0000_0001, kind: .random),
            rssi: -52,
            data: AdvertisingData([])
        )
        view.receive(advertisement, at: .zero)
        #expect(view.receive(keys: [UInt8(ascii: "g")], at: .zero) == false)
        for columns in [20, 50, 80, 200] {
            let table = ScanTable(size: .init(columns: columns, rows: 10))
            let lines = table.lines(view, now: Instant(nanoseconds: 2 * 1_000_000_000))
            #expect(lines.allSatisfy { TerminalColumns.count($0) <= columns })
            if columns > 20 { #expect(lines[0].hasSuffix("▇··")) }
        }
    }
}

@Suite("Comma-separated values of a scan") struct ScanRecordTests {
    @Test("A field with a comma, a quotation mark or the look of a formula is quoted")
    func quotes() {
        let name = Array("=1+\"a\",b".utf8)
        let data = [UInt8(name.count + 1), 0x09] + name + [0x03, 0x03, 0x0F, 0x18]
        let advertisement = Advertisement(
            address: DeviceAddress(value: 0xC4F0_0000_0001, kind: .random),
            rssi: -52,
            data: AdvertisingData(data)
        )
        let line = ScanRecord.line(advertisement, at: Date(timeIntervalSince1970: 0))
        #expect(
            line
                == "1970-01-01T00:00:00.000Z,C4:F0:00:00:00:01,random,\" =1+\"\"a\"\",b\",-52,,true,"
                + "180F,,Battery,\(data.hexadecimal)"
        )
        #expect(ScanRecord.title.split(separator: ",").count == 11)
    }
}

@Suite("Beacons") struct BeaconContentsTests {
    private func contents(_ hex: String) -> BeaconContents? {
        BeaconContents(AdvertisingData([UInt8](hexadecimal: hex) ?? []))
    }

    private static let uuid = "4c414e594152" + "44" + "00a00000000000beac"
    private static let iBeacon = "1aff4c000215" + uuid + "00010007c5"

    @Test("An iBeacon is its UUID and two numbers")
    func readsIBeacons() throws {
        let beacon = try #require(contents(Self.iBeacon))
        #expect(beacon.text == "iBeacon 4C414E59-4152-4400-A000-00000000BEAC 1 7")
        #expect(
            beacon.json.compact
                == #"{"type":"iBeacon","uuid":"4C414E59-4152-4400-A000-00000000BEAC","#
                + #""major":1,"minor":7,"power":-59}"#
        )
    }

    @Test(
        "Frames of Eddystone are decoded",
        arguments: [
            ("10ee036578616d706c6500", "Eddystone https://example.com/"),
            ("10ee006107", "Eddystone http://www.a.com"),
            (
                "00ee" + "00112233445566778899" + "aabbccddeeff",
                "Eddystone 00112233445566778899 aabbccddeeff"
            ),
            ("30ee0102030405060708", "Eddystone EID 0102030405060708"),
            ("20000c801a80000000010000000f", "Eddystone 3200 mV, 26.5 °C, on for 1 s"),
            ("20000c808000000000010000000f", "Eddystone 3200 mV, on for 1 s"),
        ]
    )
    func readsEddystone(frame: String, text: String) {
        let length = [UInt8(frame.utf8.count / 2 + 3)].hexadecimal
        #expect(contents(length + "16aafe" + frame)?.text == text)
    }

    @Test("An AltBeacon has the identifier, the power and a byte of its company")
    func readsAltBeacons() throws {
        let identifier = "00112233445566778899aabbccddeeff01020304"
        let beacon = try #require(contents("1bff1801beac" + identifier + "c505"))
        #expect(beacon.text == "AltBeacon 00112233445566778899aabbccddeeff 01020304")
        #expect(
            beacon.json.compact
                == #"{"type":"altBeacon","company":280,"identifier":"\#(identifier)","#
                + #""power":-59,"companyByte":5}"#
        )
        #expect(contents("1aff1801beac" + identifier + "c5") == nil)
    }

    @Test(
        "Measurements of BTHome are decoded",
        arguments: [
            ("40 02ca09 03bf13", "BTHome temperature 25.06 °C, humidity 50.55 %"),
            (
                "40 0101 04138a01 05138a14 3a00",
                "BTHome battery 1 %, pressure 1008.83 hPa, illuminance 13460.67 lx, button none"
            ),
            ("44 2d01 3c0103 58ea", "BTHome window open, dimmer left 3, temperature -7.70 °C"),
            ("40 5305 48656c6c6f f2 010204", "BTHome text \"Hello\", firmware 4.2.1"),
            ("40 0155 e8", "BTHome battery 85 %"), ("40", "BTHome"),
            ("41 a47266c95f730011223378237214", "BTHome, encrypted"),
        ]
    )
    func readsBTHome(hex: String, text: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hex.filter { $0 != " " }))
        let advertised = [UInt8(bytes.count + 3), 0x16, 0xD2, 0xFC] + bytes
        #expect(BeaconContents(AdvertisingData(advertised))?.text == text)
    }

    @Test("In JSON, a measurement is a decimal number with a unit, or a word")
    func describesMeasurements() throws {
        let beacon = try #require(contents("0916d2fc4002ca092d01"))
        #expect(
            beacon.json.compact
                == #"{"type":"bthome","encrypted":false,"measurements":["#
                + #"{"name":"temperature","value":"25.06","unit":"°C"},"#
                + #"{"name":"window","value":"open","unit":""}]}"#
        )
    }

    @Test(
        "The test vectors of Ruuvi's data formats 3 and 5 are decoded",
        arguments: [
            (
                "03291a1ece1efc18f94202ca0b53",
                "Ruuvi 3 temperature 26.30 °C, humidity 20.5 %, pressure 102766 Pa, "
                    + "acceleration x -1.000 g, acceleration y -1.726 g, acceleration z 0.714 g, "
                    + "battery 2.899 V"
            ),
            (
                "03ff7f63ffff7fff7fff7fffffff",
                "Ruuvi 3 temperature 127.99 °C, humidity 127.5 %, pressure 115535 Pa, "
                    + "acceleration x 32.767 g, acceleration y 32.767 g, acceleration z 32.767 g, "
                    + "battery 65.535 V"
            ),
            (
                "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f",
                "Ruuvi 5 temperature 24.300 °C, humidity 53.4900 %, pressure 100044 Pa, "
                    + "acceleration x 0.004 g, acceleration y -0.004 g, acceleration z 1.036 g, "
                    + "battery 2.977 V, transmit power 4 dBm, movements 66, sequence number 205"
            ),
            (
                "058001000000008001800180010000000000cbb8334c884f",
                "Ruuvi 5 temperature -163.835 °C, humidity 0.0000 %, pressure 50000 Pa, "
                    + "acceleration x -32.767 g, acceleration y -32.767 g, acceleration z -32.767 g, "
                    + "battery 1.600 V, transmit power -40 dBm, movements 0, sequence number 0"
            ),
            ("058000ffffffff800080008000ffffffffffffffffffffff", "Ruuvi 5"),
        ]
    )
    func readsRuuvi(hex: String, text: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hex))
        let advertised = [UInt8(bytes.count + 3), 0xFF, 0x99, 0x04] + bytes
        #expect(BeaconContents(AdvertisingData(advertised))?.text == text)
        let cut = [UInt8(bytes.count + 2), 0xFF, 0x99, 0x04] + bytes.dropLast()
        #expect(BeaconContents(AdvertisingData(cut)) == nil)
    }

    @Test(
        "Other data is not a beacon",
        arguments: [
            "", "03ff4c00", "06ff4c00021501", "0516aafe10ee", "0616aafe10ee04", "0716aafe10ee0320",
            "0616aafe00ee01", "0616aafe200001", "0616aafe30ee01", "0416aafe10", "0516aafe40ee",
        ]
    )
    func refusesOthers(hex: String) { #expect(contents(hex) == nil) }

    @Test("A truncated frame of a beacon is not a beacon")
    func refusesTruncation() {
        let bytes = [UInt8](hexadecimal: String(Self.iBeacon.dropFirst(2))) ?? []
        for count in 0..<bytes.count {
            let part = [UInt8(count)] + bytes.prefix(count)
            #expect(BeaconContents(AdvertisingData(part)) == nil)
        }
    }
}
