// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("Exploring an accessory") struct ExplorationTests {
    private func explore(_ accessory: ScriptedAccessory) async throws -> Exploration {
        let explorer = Explorer(accessory: accessory, limits: StepLimits())
        return try await explorer.explore(advertisedName: "advertised")
    }

    @Test("The JSON has the documented keys and values in their order")
    func printsJSON() async throws {
        let text = try await explore(.sample).json.indented
        #expect(text == Self.json)
    }

    @Test("The tree has names, decoded values and escaped text")
    func printsTree() async throws {
        #expect(try await explore(.sample).tree.text == Self.tree)
    }

    @Test("A secondary service that another includes is found and listed in order of handles")
    func findsIncludedServices() async throws {
        let services = try await explore(.sample).services
        #expect(services.map(\.service.handle.rawValue) == [1, 4, 9, 20])
        #expect(services.map(\.service.isPrimary) == [true, true, true, false])
    }

    @Test("Services that include each other are explored once")
    func survivesIncludeLoops() async throws {
        var accessory = ScriptedAccessory()
        let first = GATT.Service.at(1...2, BluetoothUUID(0x180F))
        let second = GATT.Service.at(5...6, BluetoothUUID(0x180A), isPrimary: false)
        accessory.primary = [first]
        accessory.included = [
            1: [GATT.IncludedService(handle: AttributeHandle(2), service: second)],
            5: [GATT.IncludedService(handle: AttributeHandle(6), service: first)],
        ]
        let services = try await explore(accessory).services
        #expect(services.map(\.service.handle.rawValue) == [1, 5])
    }

    @Test("If the Device Name is empty, the advertised name is used")
    func keepsAdvertisedName() async throws {
        var accessory = ScriptedAccessory.sample
        accessory.answers[3] = .bytes([])
        #expect(try await explore(accessory).name == "advertised")
    }

    @Test("A peer that stops answering ends the exploration with the name of the step")
    func endsWhenPeerIsSilent() async throws {
        var silent = ScriptedAccessory.sample
        silent.answers[7] = .silence
        let accessory = silent
        var limits = StepLimits()
        limits.step = .milliseconds(20)
        let explorer = Explorer(accessory: accessory, limits: limits)
        await #expect {
            try await TimeLimit.passing(at: accessory.fallsSilent) {
                try await explorer.explore(advertisedName: nil)
            }
        } throws: {
            guard let failure = $0 as? ProgramFailure else { return false }
            return failure.status == .timedOut
                && failure.happened == "reading attribute 7: no answer within 0.02 s"
        }
    }

    @Test("The end of the link is not a refusal of a value")
    func endsWhenLinkEnds() async throws {
        var accessory = ScriptedAccessory.sample
        accessory.answers[7] = .failure(.bearerClosed)
        let lost = accessory
        await #expect {
            try await explore(lost)
        } throws: {
            ($0 as? ProgramFailure)?.status == .inputOutput
        }
    }

    @Test("A long value is cut in the tree, with its length")
    func cutsLongValues() {
        let characteristic = GATT.Characteristic(
            uuid: BluetoothUUID(0x2A00),
            handle: AttributeHandle(2),
            valueHandle: AttributeHandle(3),
            properties: .read,
            endHandle: AttributeHandle(3)
        )
        let service = GATT.DiscoveredService(
            service: .at(1...3, BluetoothUUID(0x1800)),
            characteristics: [GATT.DiscoveredCharacteristic(characteristic: characteristic)]
        )
        let exploration = Exploration(
            address: DeviceAddress(value: 1, kind: .public),
            name: nil,
            mtu: 23,
            services: [service],
            values: [characteristic.valueHandle: .bytes([UInt8](repeating: 0x41, count: 512))]
        )
        let expected = """
            00:00:00:00:00:01/public  MTU 23
            └─ Generic Access  1800  #1–3
               └─ Device Name  2A00  #3  [read] = \(String(repeating: "41", count: 64))… (512 bytes)
            """
        #expect(exploration.tree.text == expected)
    }

    private static let tree = """
        Lamp\\u{1B}  C4:F0:00:00:00:01/random  MTU 185
        ├─ Generic Access  1800  #1–3
        │  └─ Device Name  2A00  #3  [read] = "Lamp\\u{1B}"
        ├─ Battery  180F  #4–8
        │  ├─ includes Device Information  180A  #20–21
        │  └─ Battery Level  2A19  #7  [read, notify] = 93 %
        │     └─ Client Characteristic Configuration  2902  #8 = off
        ├─ Service  4C414E59-4152-4400-A000-000000000001  #9–13
        │  ├─ Characteristic  4C414E59-4152-4400-A000-000000000001  #11  [read, write]  \
        (Insufficient Authentication)
        │  └─ Battery Level  2A19  #13  [writeWithoutResponse]
        └─ Device Information  180A  #20–21  secondary
        """

    private static let json = """
        {
          "address": "C4:F0:00:00:00:01",
          "addressType": "random",
          "name": "Lamp\\u001b",
          "mtu": 185,
          "services": [
            {
              "uuid": "1800",
              "primary": true,
              "handle": 1,
              "endHandle": 3,
              "includes": [],
              "characteristics": [
                {
                  "uuid": "2A00",
                  "handle": 2,
                  "valueHandle": 3,
                  "properties": [
                    "read"
                  ],
                  "value": "4c616d701b",
                  "descriptors": []
                }
              ]
            },
            {
              "uuid": "180F",
              "primary": true,
              "handle": 4,
              "endHandle": 8,
              "includes": [
                {
                  "uuid": "180A",
                  "handle": 5,
                  "serviceHandle": 20,
                  "serviceEndHandle": 21
                }
              ],
              "characteristics": [
                {
                  "uuid": "2A19",
                  "handle": 6,
                  "valueHandle": 7,
                  "properties": [
                    "read",
                    "notify"
                  ],
                  "value": "5d",
                  "descriptors": [
                    {
                      "uuid": "2902",
                      "handle": 8,
                      "value": "0000"
                    }
                  ]
                }
              ]
            },
            {
              "uuid": "4C414E59-4152-4400-A000-000000000001",
              "primary": true,
              "handle": 9,
              "endHandle": 13,
              "includes": [],
              "characteristics": [
                {
                  "uuid": "4C414E59-4152-4400-A000-000000000001",
                  "handle": 10,
                  "valueHandle": 11,
                  "properties": [
                    "read",
                    "write"
                  ],
                  "value": null,
                  "error": "Insufficient Authentication",
                  "descriptors": []
                },
                {
                  "uuid": "2A19",
                  "handle": 12,
                  "valueHandle": 13,
                  "properties": [
                    "writeWithoutResponse"
                  ],
                  "value": null,
                  "descriptors": []
                }
              ]
            },
            {
              "uuid": "180A",
              "primary": false,
              "handle": 20,
              "endHandle": 21,
              "includes": [],
              "characteristics": []
            }
          ]
        }
        """
}
