// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// GATT/SR/GAC and GATT/SR/GAD: the MTU and the discovery of the sample database.
@Suite struct ServerDiscoveryTests {
    @Test("GATT/SR/GAC/BV-01-C: Exchange MTU")
    func exchangesMTU() {
        Dialogue(serving: .none) {
            client(sends: "0A 2500")
            server(sends: "0B \(bytes(0..<22))")
            client(sends: "02 2000")
            server(sends: "03 0502")
            client(sends: "0A 2500")
            server(sends: "0B \(bytes(0..<31))")
        }.play()
    }

    @Test("GATT/SR/GAD/BV-01-C: Discover All Primary Services")
    func discoversServices() {
        Dialogue(serving: .none) {
            client(sends: "10 0100 FFFF 0028")
            server(sends: "11 06 0100 0700 0018 0800 1100 0118 2000 3900 00A0")
            client(sends: "10 3A00 FFFF 0028")
            server(sends: "11 14 5000 5300 \(SampleTable.longServiceBytes)")
            client(sends: "10 5400 FFFF 0028")
            server(sends: "11 06 6000 6600 02A0")
            client(sends: "10 6700 FFFF 0028")
            server(sends: "01 10 6700 0A")
            client(sends: "10 0100 FFFF 0128")
            server(sends: "11 06 4000 4000 01A0")
        }.play()
    }

    @Test("GATT/SR/GAD/BV-02-C: Discover Primary Service by Service UUID")
    func discoversServiceByUUID() {
        let long = SampleTable.longServiceBytes
        let baseOfLong = "FB349B5F800000800010 0000 02A00000"
        Dialogue(serving: .none) {
            client(sends: "06 0100 FFFF 0028 00A0")
            server(sends: "07 2000 3900")
            client(sends: "06 3A00 FFFF 0028 00A0")
            server(sends: "01 06 3A00 0A")
            client(sends: "06 0100 FFFF 0028 \(long)")
            server(sends: "07 5000 5300")
            client(sends: "06 0100 FFFF 0028 \(baseOfLong)")
            server(sends: "07 6000 6600")
            client(sends: "06 0100 FFFF 0128 01A0")
            server(sends: "07 4000 4000")
        }.play()
    }

    @Test("GATT/SR/GAD/BV-03-C: Find Included Services")
    func findsIncludes() {
        Dialogue(serving: .none) {
            client(sends: "08 5000 5300 0228")
            server(sends: "09 08 5100 4000 4000 01A0")
            client(sends: "08 5200 5300 0228")
            server(sends: "01 08 5200 0A")
        }.play()
    }

    @Test("GATT/SR/GAD/BV-04-C: Discover All Characteristics of a Service")
    func discoversCharacteristics() {
        let long = SampleTable.longTypeBytes
        Dialogue(serving: .none) {
            client(sends: "08 6000 6600 0328")
            server(sends: "09 07 6100 02 6200 00B1 6300 02 6400 00B1 6500 02 6600 00B1")
            client(sends: "08 6600 6600 0328")
            server(sends: "01 08 6600 0A")
            client(sends: "08 5000 5300 0328")
            server(sends: "09 15 5200 02 5300 \(long)")
        }.play()
    }

    @Test("GATT/SR/GAD/BV-05-C: Discover Characteristics by UUID")
    func discoversCharacteristicsByUUID() {
        Dialogue(serving: .none, mtu: 64) {
            client(sends: "08 2000 2400 0328")
            server(sends: "09 07 2100 0E 2200 00B0 2400 0A 2500 01B0")
        }.play()
    }

    @Test("GATT/SR/GAD/BV-06-C: Discover All Characteristic Descriptors")
    func discoversDescriptors() {
        Dialogue(serving: .none) {
            client(sends: "04 2300 2300")
            server(sends: "05 01 2300 0129")
            client(sends: "04 3500 3500")
            server(sends: "05 01 3500 0229")
            client(sends: "04 5200 FFFF")
            server(sends: "05 01 5200 0328")
            client(sends: "04 5300 FFFF")
            server(sends: "05 02 5300 \(SampleTable.longTypeBytes)")
            client(sends: "04 6100 FFFF")
            server(sends: "05 01 6100 0328 6200 00B1 6300 0328 6400 00B1 6500 0328")
            client(sends: "04 6700 FFFF")
            server(sends: "01 04 6700 0A")
        }.play()
    }
}
