//! The HTTP server: checks each request, then answers it from the board, the plans and the assets.

use crate::assets::find_asset;
use crate::gate::{AccessGate, RefusedRequest};
use crate::page_hosts::{ListenAddress, PageHosts};
use crate::peer_user::{PeerUser, peer_user};
use crate::review_board::{FoundRequest, PageNews, ReviewBoard};
use crate::review_source::{JobChange, RefusedMessage, ReviewSource};
use crate::review_views::{self, BoardQuery, RenderedPlans};
use bytes::Bytes;
use cutonce_core::plan::approval::price_text;
use cutonce_core::plan::rehearsal::RehearsalOrder;
use cutonce_core::protocol::review_request::{ReviewerAnswer, ReviewerMessage};
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::settings::Settings;
use http_body::Frame;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, broadcast, mpsc};

/// The largest body: an answer with an edited plan.
const MAX_BODY: usize = 16 << 20;
/// Open connections; each page holds one.
const MAX_CONNECTIONS: usize = 256;
/// Connections of other users that wait for their refusal. They take no place of ours.
const MAX_STRANGERS: usize = 8;
/// The pause after a connection that could not be taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const HEADER_LIMIT: Duration = Duration::from_secs(10);
/// The largest body of a browser that is not signed in: a token.
const MAX_LOGIN: usize = 4_096;
/// How long a body may take.
const BODY_LIMIT: Duration = Duration::from_secs(30);
/// A comment is sent this often, so that a connection whose page is gone ends.
const HEARTBEAT: Duration = Duration::from_secs(20);

const OTHER_USER: &str = "This review page belongs to another user of this machine.";

/// No script, style, image or connection but our own; no frames, forms or base addresses (RV-5).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const SAFETY_HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// What a server is started with.
pub struct ServeOptions {
    /// The cutonce home, with the plans.
    pub home: PathBuf,
    pub address: ListenAddress,
    /// 0 takes a free port.
    pub port: u16,
    /// Models that an implementation can use, with their prices (PC-12).
    pub models: Vec<ModelOption>,
    pub sources: Vec<Arc<dyn ReviewSource>>,
}

/// A model to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelOption {
    pub name: String,
    pub price: String,
}

impl ModelOption {
    /// The models of these settings.
    pub fn list(settings: &Settings) -> Vec<ModelOption> {
        let known = settings.known_models().into_iter();
        known.map(|(name, info)| ModelOption { name, price: price_text(info.price.as_ref()) }).collect()
    }
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("can't listen on {host}: {source}; choose another port with --port, or another address with --bind")]
    Listen { host: String, source: io::Error },
}

/// A running server; it serves while [`ReviewServer::run`] is polled.
pub struct ReviewServer {
    listener: TcpListener,
    port: u16,
    shared: Arc<PageState>,
}

struct PageState {
    home: PathBuf,
    gate: AccessGate,
    board: Arc<ReviewBoard>,
    rendered: RenderedPlans,
    models: Vec<ModelOption>,
}

impl ReviewServer {
    /// Listens, and follows the sources.
    pub async fn start(options: ServeOptions) -> Result<ReviewServer, ServeError> {
        let failed = |source| ServeError::Listen { host: options.address.host(options.port), source };
        let listener = TcpListener::bind((options.address.ip, options.port)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let shared = PageState {
            home: options.home,
            gate: AccessGate::new(PageHosts::new(&options.address, port)),
            board: ReviewBoard::follow(options.sources),
            rendered: RenderedPlans::default(),
            models: options.models,
        };
        Ok(ReviewServer { listener, port, shared: Arc::new(shared) })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// A function that makes tokens: each works once, and voids the one before.
    pub fn token_maker(&self) -> impl Fn() -> String + Send + 'static {
        let shared = self.shared.clone();
        move || shared.gate.new_token()
    }

    /// A function that counts the running sessions of this machine.
    pub fn session_counter(&self) -> impl Fn() -> usize + Send + 'static {
        let shared = self.shared.clone();
        move || shared.board.sessions().into_iter().filter(|(_, session)| session.pid > 0).count()
    }

    /// A function that counts the pages that are open.
    pub fn page_counter(&self) -> impl Fn() -> usize + Send + 'static {
        let shared = self.shared.clone();
        move || shared.board.listeners()
    }

    /// Serves for as long as it is polled.
    pub async fn run(self) -> Infallible {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let strangers = Arc::new(Semaphore::new(MAX_STRANGERS));
        loop {
            let (stream, peer) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                // Out of descriptors, for example: there are some again when other connections end.
                Err(error) => {
                    tracing::warn!("the review page can't take a connection: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let user = find_user(&stream, peer).await;
            let pool = if user == PeerUser::Other { &strangers } else { &places };
            let Ok(place) = pool.clone().try_acquire_owned() else { continue };
            let shared = self.shared.clone();
            tokio::spawn(async move {
                serve_connection(stream, user, shared).await;
                drop(place);
            });
        }
    }
}

async fn find_user(stream: &TcpStream, peer: SocketAddr) -> PeerUser {
    let Ok(own) = stream.local_addr() else { return PeerUser::Other };
    tokio::task::spawn_blocking(move || peer_user(peer, own)).await.unwrap_or(PeerUser::Other)
}

async fn serve_connection(stream: TcpStream, user: PeerUser, shared: Arc<PageState>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let shared = shared.clone();
        async move {
            Ok::<_, Infallible>(match user {
                PeerUser::Own | PeerUser::Remote => shared.respond(request).await,
                PeerUser::Other => with_safety_headers(problem(StatusCode::FORBIDDEN, OTHER_USER)),
            })
        }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    // Another user gets one refusal and holds no connection.
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_LIMIT).keep_alive(user != PeerUser::Other);
    if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!("a connection of the review page ended: {error}");
    }
}

/// A request that has an answer.
enum Route<'a> {
    Login,
    Board,
    Events,
    Render,
    Request { session: &'a str, ask: &'a str, part: &'a str },
    Job { id: &'a str },
    Plan { slug: &'a str, part: &'a str },
}

fn find_route<'a>(method: &Method, path: &'a str) -> Option<Route<'a>> {
    let parts: Vec<&str> = path.strip_prefix("/api/")?.split('/').collect();
    Some(match (method.as_str(), parts.as_slice()) {
        ("POST", ["login"]) => Route::Login,
        ("GET", ["board"]) => Route::Board,
        ("GET", ["events"]) => Route::Events,
        ("POST", ["render"]) => Route::Render,
        ("POST", ["request", session, ask, part @ ("answer" | "rehearse")]) => Route::Request { session, ask, part },
        ("GET", ["request", session, ask]) => Route::Request { session, ask, part: "" },
        ("GET", ["request", session, ask, part @ ("lines" | "source" | "diff" | "rehearsals")]) => {
            Route::Request { session, ask, part }
        }
        ("POST", ["jobs", id]) => Route::Job { id },
        ("GET", ["plan", slug]) => Route::Plan { slug, part: "" },
        ("GET", ["plan", slug, part @ ("lines" | "diff")]) => Route::Plan { slug, part },
        _ => return None,
    })
}

/// The value of NAME=VALUE in an address.
fn query_option<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// Text of an address, without its escapes.
fn percent_decode(text: &str) -> String {
    let pair = format!("text={text}");
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, text)| text.into_owned()).unwrap_or_default()
}

/// The answer of a page.
#[derive(Deserialize)]
struct PageAnswer {
    #[serde(default)]
    sha256: Option<String>,
    answer: AskAnswer,
}

impl PageState {
    async fn respond(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let answer = match self.gate.check_origin(request.method(), request.uri(), request.headers()) {
            Ok(()) => self.answer(request).await,
            Err(refused) => refusal(refused),
        };
        with_safety_headers(answer)
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        if let (Some(asset), true) = (find_asset(parts.uri.path()), parts.method == Method::GET) {
            return asset_answer(asset, &parts.headers);
        }
        let Some(route) = find_route(&parts.method, parts.uri.path()) else {
            return problem(StatusCode::NOT_FOUND, "There is nothing at this address.");
        };
        if let Route::Login = route {
            return self.login(body).await;
        }
        let query = parts.uri.query().unwrap_or_default();
        let key_in_address = query_option(query, "key").filter(|_| matches!(route, Route::Events));
        if let Err(refused) = self.gate.check_sign_in(&parts.headers, key_in_address) {
            return refusal(refused);
        }
        match route {
            Route::Login => problem(StatusCode::NOT_FOUND, "There is nothing at this address."),
            Route::Events => events_answer(self.board.listen()),
            Route::Render => match read_json::<Value>(body).await {
                Ok(sent) => self.clone().render(sent).await,
                Err(problem) => problem,
            },
            Route::Request { session, ask, part: "answer" } => self.take_answer(session, ask, body).await,
            Route::Request { session, ask, part: "rehearse" } => self.order_rehearsal(session, ask, body).await,
            Route::Job { id } => self.change_job(id, body).await,
            Route::Board | Route::Request { .. } | Route::Plan { .. } => {
                if let Route::Request { session, ask, .. } = route {
                    self.board.load(session, ask).await;
                }
                let (path, query) = (parts.uri.path().to_string(), query.to_string());
                // Files are read, and a long plan is rendered: other pages must not wait for that.
                let view = tokio::task::spawn_blocking(move || self.view(find_route(&Method::GET, &path)?, &query));
                match view.await.ok().flatten() {
                    Some(view) => json_answer(StatusCode::OK, &view),
                    None => problem(StatusCode::NOT_FOUND, "This does not exist, or not any more."),
                }
            }
        }
    }

    fn view(&self, route: Route, query: &str) -> Option<Value> {
        let option = |name: &str| query_option(query, name);
        let from = option("from").and_then(|from| from.parse().ok()).unwrap_or(1);
        match route {
            Route::Board => {
                let find = percent_decode(option("find").unwrap_or_default());
                let query = BoardQuery { all: option("all").is_some(), find: &find };
                Some(review_views::board_view(&self.board, &self.home, query))
            }
            Route::Request { session, ask, part: "" } => {
                let mut view = review_views::request_view(&self.board, &self.rendered, session, ask)?;
                view["models"] = json!(self.models);
                Some(view)
            }
            Route::Request { session, ask, part: "diff" } => {
                review_views::request_diff(&self.board, session, ask, option("shown"))
            }
            Route::Request { session, ask, part: "rehearsals" } => {
                review_views::rehearsals_view(&self.board, session, ask, option("id"))
            }
            Route::Request { session, ask, part } => {
                let FoundRequest::Open { request, .. } = self.board.find(session, ask)? else { return None };
                let text = request.plan()?.plan.as_deref()?;
                Some(match part {
                    "source" => json!({ "text": text }),
                    _ => self.rendered.more(text, from),
                })
            }
            Route::Plan { slug, part: "" } => review_views::plan_view(&self.board, &self.rendered, &self.home, slug),
            Route::Plan { slug, part: "diff" } => review_views::plan_diff(&self.home, slug),
            Route::Plan { slug, .. } => {
                let plan = cutonce_agent::plan::find_plan(&self.home, slug)?;
                Some(self.rendered.more(&review_views::plan_text(&self.home, &plan)?, from))
            }
            Route::Login | Route::Events | Route::Render | Route::Job { .. } => None,
        }
    }

    async fn login(&self, body: Incoming) -> Answer {
        // Other users of this machine can send this request too.
        let sent: Value = match read_limited(body, MAX_LOGIN).await {
            Ok(sent) => sent,
            Err(problem) => return problem,
        };
        let token = sent.get("token").and_then(Value::as_str).unwrap_or_default();
        let sign_in = self.gate.exchange(token);
        let Some((cookie, key)) = sign_in.and_then(|one| Some((HeaderValue::try_from(one.cookie).ok()?, one.key)))
        else {
            let why = "This token is not valid, or was used already. `cutonce serve --new-token` prints a new address.";
            return problem(StatusCode::FORBIDDEN, why);
        };
        let mut answer = json_answer(StatusCode::OK, &json!({ "key": key }));
        answer.headers_mut().insert(header::SET_COOKIE, cookie);
        answer
    }

    async fn render(self: Arc<Self>, sent: Value) -> Answer {
        let text = sent.get("text").and_then(Value::as_str).unwrap_or_default().to_string();
        let from = sent.get("from").and_then(Value::as_u64).unwrap_or(1) as usize;
        let rendered = tokio::task::spawn_blocking(move || match from {
            0 | 1 => self.rendered.page(&text),
            from => self.rendered.more(&text, from),
        });
        json_answer(StatusCode::OK, &rendered.await.unwrap_or_default())
    }

    async fn take_answer(&self, session: &str, ask: &str, body: Incoming) -> Answer {
        let PageAnswer { sha256, answer } = match read_json(body).await {
            Ok(sent) => sent,
            Err(problem) => return problem,
        };
        if matches!(&answer, AskAnswer::Plan(plan) if plan.ask_id != ask) {
            return problem(StatusCode::BAD_REQUEST, "The answer is for another request.");
        }
        let answer = Box::new(ReviewerAnswer { ask_id: ask.into(), sha256, answer });
        sent(self.board.send(session, ask, ReviewerMessage::Answer(answer)).await)
    }

    async fn order_rehearsal(&self, session: &str, ask: &str, body: Incoming) -> Answer {
        let rehearse: RehearsalOrder = match read_json(body).await {
            Ok(order) => order,
            Err(problem) => return problem,
        };
        if !self.board.can_rehearse(session) {
            return problem(StatusCode::CONFLICT, "This plan can't be rehearsed from here.");
        }
        sent(self.board.send(session, ask, ReviewerMessage::Rehearse { rehearse }).await)
    }

    async fn change_job(&self, id: &str, body: Incoming) -> Answer {
        #[derive(Deserialize)]
        struct WantedChange {
            change: JobChange,
        }
        match read_json::<WantedChange>(body).await {
            Err(problem) => problem,
            Ok(wanted) => match self.board.change_job(id, wanted.change).await {
                Ok(told) => json_answer(StatusCode::OK, &json!({ "told": told })),
                Err(RefusedMessage(told)) => problem(StatusCode::CONFLICT, &told),
            },
        }
    }
}

/// The result of an answer or an order. A refusal says who was first, or that the plan is not what the page showed.
fn sent(taken: Result<(), RefusedMessage>) -> Answer {
    match taken {
        Ok(()) => json_answer(StatusCode::OK, &json!({})),
        Err(RefusedMessage(told)) => problem(StatusCode::CONFLICT, &told),
    }
}

async fn read_json<T: for<'a> Deserialize<'a>>(body: Incoming) -> Result<T, Answer> {
    read_limited(body, MAX_BODY).await
}

async fn read_limited<T: for<'a> Deserialize<'a>>(body: Incoming, most: usize) -> Result<T, Answer> {
    let Ok(body) = tokio::time::timeout(BODY_LIMIT, Limited::new(body, most).collect()).await else {
        return Err(problem(StatusCode::REQUEST_TIMEOUT, "The request took too long."));
    };
    let body = body.map_err(|error| match error.is::<LengthLimitError>() {
        true => problem(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large."),
        false => problem(StatusCode::BAD_REQUEST, "The request is cut off, or its parts can't be read."),
    })?;
    serde_json::from_slice(&body.to_bytes())
        .map_err(|error| problem(StatusCode::BAD_REQUEST, &format!("The request can't be read: {error}")))
}

fn with_safety_headers(mut answer: Answer) -> Answer {
    for (name, value) in SAFETY_HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

fn refusal(refused: RefusedRequest) -> Answer {
    problem(refused.status, refused.why)
}

fn problem(status: StatusCode, told: &str) -> Answer {
    json_answer(status, &json!({ "told": told }))
}

fn json_answer(status: StatusCode, value: &Value) -> Answer {
    let mut answer = whole(Bytes::from(value.to_string()), "application/json");
    *answer.status_mut() = status;
    answer
}

fn whole(bytes: Bytes, kind: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(bytes).boxed());
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

fn asset_answer(asset: &'static crate::assets::PageAsset, headers: &HeaderMap) -> Answer {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !accepted.split(',').any(|coding| coding.trim().split(';').next() == Some("gzip")) {
        return whole(Bytes::from_static(asset.content.as_bytes()), asset.kind);
    }
    let mut answer = whole(asset.packed(), asset.kind);
    answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    answer
}

/// Server-sent events: everything that happens from now on.
fn events_answer(mut news: broadcast::Receiver<PageNews>) -> Answer {
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        let mut line = String::from("retry: 500\n\n");
        while sender.send(Bytes::from(line)).await.is_ok() {
            line = tokio::select! {
                news = news.recv() => match news {
                    Ok(news) => format!("data: {}\n\n", serde_json::to_string(&news).unwrap_or_default()),
                    // The page missed some: it loads everything again.
                    Err(broadcast::error::RecvError::Lagged(_)) => "data: {\"what\":\"missed\"}\n\n".into(),
                    Err(broadcast::error::RecvError::Closed) => return,
                },
                () = tokio::time::sleep(HEARTBEAT) => ":\n\n".into(),
                () = sender.closed() => return,
            };
        }
    });
    let mut answer = Response::new(EventBody(receiver).boxed());
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    answer
}

/// A body that lasts as long as there are events.
struct EventBody(mpsc::Receiver<Bytes>);

impl Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
