// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualAccessories

@Suite struct BeaconTests {
    private static let uuid = BluetoothUUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")

    @Test("An iBeacon advertises its UUID, major, minor and power")
    func iBeacon() throws {
        let uuid = try #require(Self.uuid)
        let message = BeaconMessage.iBeacon(uuid: uuid, major: 1, minor: 0x0203, power: -59)
        #expect(
            message.advertisingData.bytes.hexadecimal
                == "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010203c5"
        )
    }

    @Test(
        "Eddystone shortens URLs",
        arguments: [
            ("https://example.com/", "036578616d706c6500"),
            ("https://www.example.org", "016578616d706c6508"),
            ("http://www.a.net/b.gov", "0061036 20d".filter { $0 != " " }),
            ("http://x.biz/", "027805"),
            ("example.com", "036578616d706c6507"),
            (
                "https://a-very-long-name-that-does-not-fit.com",
                "03612d766572792d6c6f6e672d6e616d652d"
            ),
        ]
    )
    func eddystoneURL(url: String, bytes: String) {
        #expect(EddystoneURL.encode(url).hexadecimal == bytes)
    }

    @Test("Eddystone uses service data")
    func eddystoneData() {
        let message = BeaconMessage.eddystoneURL("https://example.com/", power: -18)
        #expect(
            message.advertisingData.bytes.hexadecimal
                == "0201060303aafe0e16aafe10ee036578616d706c6500"
        )
    }

    @Test("A name beacon advertises its flags and its name")
    func name() {
        #expect(
            BeaconMessage.name("Door").advertisingData.bytes.hexadecimal
                == "020106050944 6f6f72"
                .filter { $0 != " " }
        )
    }

    @Test("A beacon resets its controller and then advertises", arguments: [false, true])
    func start(isOld: Bool) throws {
        var controller = FakeController(Beacon(.name("Door")), isOld: isOld)
        controller.powerOn()
        #expect(controller.opcodes.first == .reset)
        #expect(controller.host.nextDeadline == nil)
        if isOld {
            let parameters = try controller.command(HCI.LESetAdvertisingParameters.self)
            #expect(parameters.type == .nonConnectable)
            #expect(controller.opcodes.last == .leSetAdvertisingEnable)
        } else {
            let parameters = try controller.command(HCI.LESetExtendedAdvertisingParameters.self)
            #expect(parameters.properties == .legacy)
            #expect(controller.opcodes.last == .leSetExtendedAdvertisingEnable)
        }
    }

    @Test("An extended beacon uses extended advertising")
    func extended() throws {
        let beacon = Beacon(.name("Door"), isExtended: true, interval: .milliseconds(250))
        var controller = FakeController(beacon)
        controller.powerOn()
        let parameters = try controller.command(HCI.LESetExtendedAdvertisingParameters.self)
        #expect(parameters.properties == [])
        #expect(parameters.intervalMaximum.duration == .milliseconds(250))
    }

    @Test("A beacon stops if its controller does not answer")
    func silentController() {
        var beacon = Beacon(.name("Door"))
        #expect(beacon.start(now: .zero).count == 1)
        var packetCount = 0
        for _ in 0..<10 {
            guard let deadline = beacon.nextDeadline else { break }
            packetCount += beacon.deadlinePassed(now: deadline).count
        }
        #expect(packetCount == 1)
        #expect(beacon.nextDeadline == nil)
    }
}
