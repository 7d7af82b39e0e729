// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

/// The octets as something sealed, in each mode and in each state of a session.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSealing(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = Data(UnsafeBufferPointer(start: start, count: count))
    precondition((try? gcm.open(octets)) == nil, "GCM opens what nobody sealed")
    precondition((try? authenticated?.open(octets)) == nil, "CBC with HMAC does")
    if let opened = try? CBCSealing(key: key).open(octets) {
        precondition(opened.count < octets.count, "CBC makes more of it")
    }
    for session in sessions {
        var session = session
        precondition((try? session.open(octets)) == nil, "a session opens what nobody sealed")
    }
    return 0
}

private let key = SealingKey(random: .bits128)
private let gcm = GCMSealing(key: key)
private let authenticated = try? AuthenticatedCBCSealing(
    encryption: key,
    authentication: SealingKey(random: .bits128)
)

/// Both ends, before they have greeted and afterwards.
private let sessions: [any SealingSession] = {
    var central = gcm.makeSession(as: .central)
    var peripheral = gcm.makeSession(as: .peripheral)
    let before = [central, peripheral]
    guard let greeting = central.greeting,
        case .answer(let answer)? = try? peripheral.open(greeting),
        case .answer(let confirmation)? = try? central.open(answer),
        case .nothing? = try? peripheral.open(confirmation)
    else { preconditionFailure("the ends do not greet") }
    return before + [central, peripheral]
}()
