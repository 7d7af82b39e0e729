// SPDX-License-Identifier: Apache-2.0

// A controller of ours in place of RootCanal's library, for RootCanal's own tests of the Link Layer
// (Scripts/test-link-layer). The program reads a request in each line, and answers with a line for
// each packet and an empty line. Bytes are hexadecimal. With the argument `--old`, the controller
// has the features of Bluetooth 4.x only.
//
//     address BYTES        a new controller with this public address
//     hci BYTES            an H4 packet from the host
//     air STRENGTH BYTES   a packet of RootCanal from the peer, with its strength in dBm
//     pass                 lets time pass
//     resolvable BYTES     asks for a resolvable private address made with this key
//
//     hci BYTES            an H4 packet to the host
//     air BYTES            a packet of RootCanal to the peer
//     address BYTES        the address that was asked for
//     refused TEXT         the request was malformed, came before a first address, or has no
//                          counterpart in our Link Layer

import BluetoothHCI
import BluetoothTypes
import Foundation
import VirtualAdapters
import VirtualRadio

@main
struct LinkLayerTester {
    private var tester: LowerTester?
    private var generator = WorldSeed(1).stream("peer")

    static func main() {
        var program = LinkLayerTester()
        while let line = readLine() {
            let answer = program.answer(line).map { "\($0)\n" }.joined() + "\n"
            FileHandle.standardOutput.write(Data(answer.utf8))
        }
    }

    /// Returns the lines of the answer to a request.
    private mutating func answer(_ line: String) -> [String] {
        let words = line.split(separator: " ").map(String.init)
        let bytes = words.last.flatMap { [UInt8](hexadecimal: $0) } ?? []
        switch (words.first, words.count) {
        case ("address"?, 2): return start(bytes)
        case ("resolvable"?, 2): return resolvable(bytes)
        case ("hci"?, 2): tester?.hostSends(bytes)
        case ("pass"?, 1): tester?.pass()
        case ("air"?, 3):
            guard let strength = Int8(words[1]), let packet = try? RootCanalPacket(bytes) else {
                return ["refused \(line)"]
            }
            if tester?.airSends(packet, strength: strength) == false { return ["refused \(line)"] }
        default: return ["refused \(line)"]
        }
        return tester?.takeOutput().map(\.line) ?? ["refused there is no controller"]
    }

    private mutating func start(_ bytes: [UInt8]) -> [String] {
        guard let address = DeviceAddress(littleEndian: bytes, kind: .public) else {
            return ["refused an address has 6 bytes"]
        }
        let isOld = CommandLine.arguments.dropFirst().contains("--old")
        tester = LowerTester(address: address, isOld: isOld)
        return []
    }

    private mutating func resolvable(_ bytes: [UInt8]) -> [String] {
        guard let key = HCI.Key128(bytes),
            let address = IdentityResolvingKey(key).makeAddress(using: &generator)
        else { return ["refused a key has 16 bytes, not all 0"] }
        return ["address \(address.littleEndianBytes.hexadecimal)"]
    }
}

extension LowerTester.Output {
    /// The line of the answer.
    fileprivate var line: String {
        switch self {
        case .host(let packet): "hci \(packet.hexadecimal)"
        case .air(let packet): "air \(packet.bytes.hexadecimal)"
        }
    }
}
