use super::*;
use crate::Door;
use crate::channel::LiveChannel;
use brainstem_api::{Toolset, table};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_memory::{Memory, Parts, WordsAlone};
use hyper::StatusCode;

fn door(sessions_max: usize) -> Mcp {
    let memory = Arc::new(Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        home: "no-such-home".into(),
        user_home: None,
        meanings: Arc::new(WordsAlone),
    }));
    let door = Door {
        memory,
        declared: Default::default(),
        roots: Default::default(),
        program: None,
        toolsets: Toolset::DEFAULT.to_vec(),
        settle: None,
    };
    let limits = HttpLimits { sessions_max, ..HttpLimits::default() };
    let (stop, end) = (CancellationToken::new(), CancellationToken::new());
    let live = LiveChannel::new(Arc::new(SystemClock), stop.clone());
    let handler = Handler::shared(door, table(), Arc::new(Calls::new()), live);
    Mcp::new(handler, Arc::new(Room::new()), &limits, Arc::new(Meters::new()), stop, end)
}

async fn post(mcp: &Mcp, session: Option<&str>, body: &str) -> Answer {
    let mut request = Request::builder()
        .method("POST")
        .uri("/mcp")
        .header("host", "localhost")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json");
    if let Some(id) = session {
        request = request.header(SESSION_HEADER, id);
    }
    let head = request.body(()).expect("a request").into_parts().0;
    mcp.answer(head, Read { bytes: body.to_owned().into(), held: None }).await
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

async fn open(mcp: &Mcp) -> Result<String, StatusCode> {
    let answer = post(mcp, None, HELLO).await;
    let id = answer.headers().get(SESSION_HEADER).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let id = id.ok_or(answer.status())?;
    assert_eq!(post(mcp, Some(&id), READY).await.status(), StatusCode::ACCEPTED);
    Ok(id)
}

fn on_a_stopped_clock(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build().expect("a runtime").block_on(test);
}

#[test] // spec: IF-7
fn a_session_survives_an_idle_day() {
    on_a_stopped_clock(async {
        let mcp = door(4);
        let id = open(&mcp).await.expect("a session");
        assert_eq!(post(&mcp, Some(&id), LIST).await.status(), StatusCode::OK);
        tokio::time::advance(Duration::from_secs(25 * 3600)).await;
        mcp.reap().await;
        assert_eq!(post(&mcp, Some(&id), LIST).await.status(), StatusCode::OK);
    });
}

#[test] // spec: IF-14
fn the_session_that_is_used_least_gives_way() {
    on_a_stopped_clock(async {
        let mcp = door(3);
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(open(&mcp).await.expect("a session"));
        }
        assert_eq!(open(&mcp).await, Err(StatusCode::SERVICE_UNAVAILABLE), "all of them are fresh");
        let age = |id: &str, seconds: u64, calls: u64| {
            let last = Instant::now()
                .checked_sub(Duration::from_secs(seconds))
                .expect("a machine that ran for a while");
            mcp.lock().insert(id.to_owned().into(), Use { last, calls });
        };
        // The one without a call goes first, though another is older.
        age(&ids[0], 30, 5);
        age(&ids[1], 20, 0);
        let fourth = open(&mcp).await.expect("there is room");
        let is_there = async |id: &str| post(&mcp, Some(id), LIST).await.status() == StatusCode::OK;
        assert!(is_there(&ids[0]).await && !is_there(&ids[1]).await && is_there(&ids[2]).await);
        // One that works is left alone for an hour.
        for id in [&ids[0], &ids[2], &fourth] {
            age(id, 60, 1);
        }
        assert_eq!(open(&mcp).await, Err(StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!(mcp.sessions.sessions.read().await.len(), 3);
    });
}
