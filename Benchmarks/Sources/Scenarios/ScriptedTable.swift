// SPDX-License-Identifier: Apache-2.0

/// The peer's database for discovery: one service (0xFFF0) with a value to read (0xFFF1) and one
/// that notifies (0xFFF2). It takes and returns ATT PDUs: Vol 3, Part F, 3.4.3 and 3.4.4.
enum ScriptedTable {
    /// Answers Read By Group Type.
    static func services(_ request: ArraySlice<UInt8>) -> [UInt8] {
        guard first(request) <= 1, type(request) == 0x2800 else { return notFound(request) }
        return [0x11, 6, 1, 0, ScriptedServer.configurationHandle, 0, 0xF0, 0xFF]
    }

    /// Answers Read By Type.
    static func characteristics(_ request: ArraySlice<UInt8>) -> [UInt8] {
        let (value, notifying) = (ScriptedServer.valueHandle, ScriptedServer.notifyingHandle)
        let declarations: [(handle: UInt8, bytes: [UInt8])] = [
            (value - 1, [0x02, value, 0, 0xF1, 0xFF]),
            (notifying - 1, [0x10, notifying, 0, 0xF2, 0xFF]),
        ]
        let found = declarations.filter {
            $0.handle >= first(request) && $0.handle <= last(request)
        }
        guard !found.isEmpty, type(request) == 0x2803 else { return notFound(request) }
        return [0x09, 7] + found.flatMap { [$0.handle, 0] + $0.bytes }
    }

    /// Answers Find Information.
    static func descriptors(_ request: ArraySlice<UInt8>) -> [UInt8] {
        let configuration = ScriptedServer.configurationHandle
        guard first(request) <= configuration, configuration <= last(request) else {
            return notFound(request)
        }
        return [0x05, 1, configuration, 0, 0x02, 0x29]
    }

    private static func first(_ request: ArraySlice<UInt8>) -> Int { number(request, at: 1) }

    private static func last(_ request: ArraySlice<UInt8>) -> Int { number(request, at: 3) }

    private static func type(_ request: ArraySlice<UInt8>) -> Int { number(request, at: 5) }

    private static func number(_ request: ArraySlice<UInt8>, at place: Int) -> Int {
        let bytes = Array(request.dropFirst(place).prefix(2))
        return bytes.count == 2 ? Int(bytes[0]) | Int(bytes[1]) << 8 : 0
    }

    /// Returns the error Attribute Not Found.
    private static func notFound(_ request: ArraySlice<UInt8>) -> [UInt8] {
        [0x01, request.first ?? 0] + request.dropFirst().prefix(2) + [0x0A]
    }
}
