// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Lists of devices nearby")
struct NearbyListTests {
    private func device(_ number: Int, _ signal: Double?, name: String? = nil) -> PresentDevice {
        var device = PresentDevice(identity: PresenceHarness.identity(number), proximity: .far)
        device.signal = signal
        device.name = name
        return device
    }

    private func numbers(_ devices: [NearbyDevice]) -> [Int] {
        devices.compactMap { device in
            (0..<256).first { PresenceHarness.identity($0) == device.id }
        }
    }

    @Test("Devices are in the order of their signal, and those without a signal are last")
    func sorted() {
        var list = NearbyList()
        list.apply(.discovered(device(1, nil)))
        list.apply(.discovered(device(2, -80)))
        list.apply(.discovered(device(3, -40)))
        list.apply(.discovered(device(4, nil)))
        list.apply(.discovered(device(5, -80)))
        #expect(numbers(list.devices(known: []).devices) == [3, 2, 5, 1, 4])
        list.apply(.updated(device(5, -30, name: "Five")))
        let devices = list.devices(known: []).devices
        #expect(numbers(devices) == [5, 3, 2, 1, 4])
        #expect(devices.first?.name == "Five")
    }

    @Test("A lost device moves to the lost devices until it returns, and a merged one disappears")
    func lost() {
        var list = NearbyList()
        for number in 1...3 { list.apply(.discovered(device(number, -50))) }
        list.apply(.lost(device(1, -50), .silent))
        list.apply(.lost(device(2, -50), .displaced))
        list.apply(.lost(device(3, -50), .merged))
        #expect(numbers(list.devices(known: []).devices) == [])
        #expect(numbers(list.devices(known: []).lost) == [2, 1])
        list.apply(.discovered(device(1, -50)))
        #expect(numbers(list.devices(known: []).devices) == [1])
        #expect(numbers(list.devices(known: []).lost) == [2])
    }

    @Test("The number of lost devices is limited, and the oldest are removed")
    func bounded() {
        var list = NearbyList()
        for number in 0..<100 {
            list.apply(.discovered(device(number, -50)))
            list.apply(.lost(device(number, -50), .silent))
        }
        let lost = list.devices(known: []).lost
        #expect(numbers(lost) == (100 - NearbyDevices.lostLimit..<100).reversed())
    }

    @Test("Devices that are accessories of the central are marked as known")
    func known() {
        var list = NearbyList()
        list.apply(.discovered(device(1, -50)))
        list.apply(.discovered(device(2, -60)))
        let devices = list.devices(known: [PresenceHarness.identity(2)]).devices
        #expect(devices.map(\.isKnown) == [false, true])
    }
}
