// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The accessory of the demonstration: as a database file describes one.
enum DemoDatabase {
    static let echo = custom(4)
    static let heartRate = BluetoothUUID(0x2A37)
    static let battery = BluetoothUUID(0x2A19)
    static let long = custom(1)
    static let writable = custom(3)
    static let ticks = custom(5)
    static let secret = custom(6)

    /// The UUIDs of the demonstration's own: its first half spells LANYARD.
    private static func custom(_ number: UInt32) -> BluetoothUUID {
        BluetoothUUID("4C414E59-4152-4400-A000-00000000000\(number)") ?? BluetoothUUID(0)
    }

    static let text = """
        {
          "name": "Lanyard Demo",
          "appearance": 833,
          "advertising": {"services": ["180D", "180F"], "interval": 0.03},
          "services": [
            {
              "uuid": "180D",
              "characteristics": [
                {
                  "uuid": "2A37",
                  "properties": ["notify"],
                  "value": ["06", {"uint8": {"ramp": [60, 180]}}],
                  "every": 0.1
                },
                {"uuid": "2A38", "properties": ["read"], "value": {"uint8": 1}}
              ]
            },
            {
              "uuid": "180F",
              "characteristics": [
                {"uuid": "2A19", "properties": ["read"], "value": {"uint8": 87}}
              ]
            },
            {
              "uuid": "4C414E59-4152-4400-A000-000000000000",
              "characteristics": [
                {
                  "uuid": "4C414E59-4152-4400-A000-000000000001",
                  "properties": ["read"],
                  "value": {"pattern": 512},
                  "description": "As long as a value can be"
                },
                {
                  "uuid": "4C414E59-4152-4400-A000-000000000003",
                  "properties": ["read", "write", "writeWithoutResponse"],
                  "description": "Edited by clients"
                },
                {
                  "uuid": "4C414E59-4152-4400-A000-000000000004",
                  "properties": ["write", "notify"],
                  "echo": true,
                  "description": "Sent back"
                },
                {
                  "uuid": "4C414E59-4152-4400-A000-000000000005",
                  "properties": ["indicate"],
                  "value": {"uint32": {"counter": 1}},
                  "every": 0.25,
                  "description": "Ticks"
                },
                {
                  "uuid": "4C414E59-4152-4400-A000-000000000006",
                  "properties": ["read"],
                  "permissions": ["readEncrypted"],
                  "value": "c0ffee",
                  "description": "For encrypted links only"
                }
              ]
            }
          ]
        }
        """
}
