// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PortingShims

@Suite("The logger of os")
struct LoggerTests {
    @Test("Numbers and Booleans are public by default, and other values are private")
    func privacy() {
        let name = "Strap"
        let message: OSLogMessage = "\(3) of \(2.5), \(true), \(name), \(name, privacy: .public)"
        #expect(message.text == "3 of 2.5, true, <private>, Strap")
        let hidden: OSLogMessage = "\(7, privacy: .private) \(name, privacy: .sensitive)"
        #expect(hidden.text == "<private> <private>")
        let plain: OSLogMessage = "connected"
        #expect(plain.text == "connected")
        let list: OSLogMessage = "\([1, 2], privacy: .public) \([1, 2])"
        #expect(list.text == "[1, 2] <private>")
    }

    @Test("The types of log messages have Apple's raw values")
    func types() {
        let types: [OSLogType] = [.default, .info, .debug, .error, .fault]
        #expect(types.map(\.rawValue) == [0, 1, 2, 16, 17])
    }
}
