// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AssignedNumbers {
    /// Services that members of the SIG registered, of those met most often (Assigned Numbers,
    /// 3.4.3). The list there names only the companies; what a service does is common knowledge.
    static let memberServiceNames: [UInt16: String] = [
        0xFCD2: "BTHome",
        0xFCF1: "Google",
        0xFD3D: "SwitchBot",
        0xFD44: "Apple Find My",
        0xFD5A: "Samsung SmartTag",
        0xFD6F: "Exposure Notification",
        0xFD84: "Tile",
        0xFDCD: "Qingping",
        0xFDF0: "Audio Streaming for Hearing Aid",
        0xFE03: "Amazon",
        0xFE07: "Sonos",
        0xFE2C: "Google Fast Pair",
        0xFE59: "Nordic Device Firmware Update",
        0xFE95: "Xiaomi",
        0xFE9F: "Google",
        0xFEAA: "Eddystone",
        0xFEBE: "Bose",
        0xFEE0: "Huami",
        0xFEE7: "Tencent",
        0xFEED: "Tile",
        0xFEF3: "Google Nearby",
        0xFFF6: "Matter",
        0xFFFA: "ASTM Remote ID",
    ]

    /// Services and characteristics on UUIDs of their makers' own that have become well known.
    static let vendorNames: [BluetoothUUID: String] = Dictionary(
        vendorTable.compactMap { text, name in BluetoothUUID(text).map { ($0, name) } },
        uniquingKeysWith: { first, _ in first }
    )

    private static let vendorTable: [(String, String)] = [
        ("6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "Nordic UART"),
        ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", "Nordic UART RX"),
        ("6E400003-B5A3-F393-E0A9-E50E24DCCA9E", "Nordic UART TX"),
        ("8D53DC1D-1DB7-4CD3-868B-8A527460AA84", "MCUmgr SMP"),
        ("DA2E7828-FBCE-4E01-AE9E-261174997C48", "MCUmgr SMP Characteristic"),
        ("7905F431-B5CE-4E99-A40F-4B1E122D00D0", "Apple Notification Center"),
        ("9FBF120D-6301-42D9-8C58-25E699A21DBD", "ANCS Notification Source"),
        ("69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9", "ANCS Control Point"),
        ("22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB", "ANCS Data Source"),
        ("89D3502B-0F36-433A-8EF4-C54AD55F8DC7", "Apple Media"),
        ("D0611E78-BBB4-4591-A5F8-487910AE4366", "Apple Continuity"),
        ("8EC90001-F315-4F60-9FB8-838830DAEA50", "Nordic DFU Control Point"),
        ("8EC90002-F315-4F60-9FB8-838830DAEA50", "Nordic DFU Packet"),
        ("8EC90003-F315-4F60-9FB8-838830DAEA50", "Nordic DFU Buttonless"),
    ]
}
